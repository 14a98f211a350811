// Sets before the first paint what the ready made markup of a page must know: the theme, and whether this browser holds a
// session (the landing page shows another way in, the app another shape). And says so where the browser is too old: the
// app's code would not even be read there, and the page load for ever. A file of its own because the policy allows no
// inline script.
;(function () {
  var choice = 'system'
  var signedIn = false
  try {
    choice = localStorage.getItem('bipe.theme') || 'system'
    signedIn = localStorage.getItem('bipe.refreshToken') !== null
  } catch {
    // Storage is blocked: the system decides.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.dataset.session = signedIn ? 'held' : 'none'

  // What Safari has since 16.4 and Firefox since 128, and what Chrome has since 111 (`test/browsers.test.ts`).
  var isOld = !window.CSSPropertyRule || !window.CSS.supports('color', 'color-mix(in srgb, red, red)')
  if (!isOld) return
  document.addEventListener('DOMContentLoaded', function () {
    var notice = document.getElementById('old-browser')
    if (notice) notice.hidden = false
  })
})()
