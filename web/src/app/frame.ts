// Where the parts of the signed-in area stand: of the area itself, and of its shape while its code arrives.

/** Sidebar and column; the sidebar is a rail on tablets and absent on phones. */
export const frame = 'print:block md:grid md:grid-cols-[64px_minmax(0,1fr)] lg:grid-cols-[256px_minmax(0,1fr)]'
export const aside = 'no-print sticky top-0 hidden h-dvh border-r border-line bg-surface md:block'
/** As high as the screen: what stands at its foot stands there on a short page too. */
export const column = 'flex min-h-dvh min-w-0 flex-col'
export const header =
  'no-print sticky top-0 z-30 flex min-h-14 items-center gap-2 border-b border-line bg-bg px-4 enlarged:flex-wrap enlarged:justify-between enlarged:gap-y-0 md:px-6 lg:px-8'
export const main = 'mx-auto w-full max-w-[1264px] flex-1 px-4 py-6 md:px-6 lg:px-8 lg:py-8'
