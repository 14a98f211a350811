// A file of its own: the live connection needs the key alone.
export const savedViewsKey = ['saved-views'] as const
