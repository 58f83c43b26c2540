// Checks of a script that goes on behind one that fails.
let [passed, failed] = [0, 0]

/** Counts a check; one that fails is printed. */
export function check(what, found, wanted) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) passed += 1
  else {
    failed += 1
    console.log(`FAILED: ${what}\n  wanted ${JSON.stringify(wanted)}\n  found  ${JSON.stringify(found)}`)
  }
}

/** Prints the counts, and ends the process: exit code 1 where a check has failed. */
export function endOfChecks() {
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
