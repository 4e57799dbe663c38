// The guides are what a first visit looks for: their list is open until its reader closes it.
const key = 'tsd-accordion-Guides'
try {
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true')
} catch {
  // A browser without storage shows the list closed.
}
