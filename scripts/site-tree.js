// In every page of the site: the groups of the navigation are open from the begin. TypeDoc makes them when a page
// loads.
const tree = document.getElementById('tsd-nav-container')
const open = () => {
  const groups = tree.querySelectorAll(':scope > li > details')
  for (const group of groups) group.open = true
  return groups.length > 0
}
if (tree !== null && !open()) {
  const watch = new MutationObserver(() => { if (open()) watch.disconnect() })
  watch.observe(tree, { childList: true })
}
