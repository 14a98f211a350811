// Sets the theme before the first paint. A file of its own because the policy allows no inline script.
;(function () {
  var choice = 'system'
  try {
    choice = localStorage.getItem('bipe.theme') || 'system'
  } catch {
    // Storage is blocked: the system decides.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
