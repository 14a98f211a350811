// Sets before the first paint what the ready made markup of a page must know: the theme, and whether this browser holds a
// session (the landing page shows another way in, the app another shape). A file of its own because the policy allows no
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
})()
