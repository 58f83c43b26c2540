/** True where the environment asks to accept what runs do: `BACKTAPE_UPDATE_GOLDENS=1`. */
export function isUpdateAsked(): boolean {
  const asked = process.env['BACKTAPE_UPDATE_GOLDENS']
  return asked !== undefined && asked !== '' && asked !== '0'
}
