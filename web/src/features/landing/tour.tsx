// Pictures of the product, in the theme of the page. Only those of the theme and of the form that is shown are fetched,
// when they come near: a lazy picture that is not displayed is never asked for.
import { DESK, fileName, PHONE, scenes, THEMES, type Form, type Theme } from './scenes'

const files = import.meta.glob<string>('./pictures/*.webp', { eager: true, import: 'default', query: '?url' })

function addressOf(scene: string, form: Form, theme: Theme): string | undefined {
  return files[`./pictures/${fileName(scene, form, theme)}`]
}

export function Tour() {
  return (
    <section id="produto" className="mx-auto grid max-w-[1200px] gap-8 px-4 pt-16 md:px-6 lg:px-8 lg:pt-24">
      <div className="grid gap-1">
        <h2 className="text-h1">Por dentro do Bipe</h2>
        <p className="text-muted">Telas do produto com dados de exemplo</p>
      </div>
      <ul role="list" className="grid gap-x-6 gap-y-10 md:grid-cols-2">
        {scenes.map(({ name, title, text, alt }) => (
          <li
            key={name}
            className="grid content-start gap-4 md:first:col-span-full lg:first:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:first:items-center lg:first:gap-10"
          >
            {THEMES.map((theme) => (
              <Picture key={theme} scene={name} alt={alt} theme={theme} />
            ))}
            <div className="grid gap-1">
              <h3>{title}</h3>
              <p className="max-w-[48ch] text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface PictureProps {
  scene: string
  alt: string
  theme: Theme
}

function Picture({ scene, alt, theme }: PictureProps) {
  return (
    <picture className={theme === 'dark' ? 'hidden dark:block' : 'block dark:hidden'}>
      <source
        media="(width < 640px)"
        srcSet={addressOf(scene, 'phone', theme)}
        width={PHONE.width}
        height={PHONE.height}
      />
      <img
        src={addressOf(scene, 'desk', theme)}
        width={DESK.width}
        height={DESK.height}
        alt={alt}
        loading="lazy"
        decoding="async"
        className="h-auto w-full rounded-card border border-line bg-sunken"
      />
    </picture>
  )
}
