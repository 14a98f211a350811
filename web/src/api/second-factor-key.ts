// A file of its own: the live connection needs the key alone.
export const secondFactorKey = ['second-factor'] as const
