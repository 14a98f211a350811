// The buttons on the landing page's dark bands.

export const bandButton = 'inline-flex min-h-12 items-center rounded-control px-6 text-reading font-medium'
export const primaryBandButton = `${bandButton} bg-on-band text-band hover:bg-band-muted`
