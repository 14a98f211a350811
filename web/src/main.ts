// The entry of the web app. What it imports runs first, and the rest of what every page needs in a task of its own: run
// at one go, they would keep a slow phone busy for a tenth of a second.
import './app/boot'
import './main.css'
import 'react-dom/client'

setTimeout(() => import('./app/start').then(({ start }) => setTimeout(start)))
