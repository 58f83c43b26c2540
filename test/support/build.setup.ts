/** Before the first test: the build is what the sources say. */
export async function setup(): Promise<void> {
  const script = new URL('../../scripts/build.mjs', import.meta.url).href
  const { build } = await import(/* @vite-ignore */ script) as { build: () => void }
  build()
}
