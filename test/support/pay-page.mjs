/** Pays as a person does: by the form of the pay page, with the cookie that came with it. The status of the answer. */
export async function payOnPage(address) {
  const page = await fetch(address)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const cookie = page.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ')
  const headers = { origin: new URL(address).origin, cookie }
  return (await fetch(address, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams({ action: 'pay', csrf }) })).status
}
