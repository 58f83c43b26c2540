/** The value of a cookie of a request, `Cookie: NAME=VALUE`; null where it has none of the name. */
export function cookieOf({ cookie = '' }: { readonly cookie?: string | undefined }, name: string): string | null {
  for (const part of cookie.split(';')) {
    const [own = '', ...value] = part.trim().split('=')
    if (own === name) return value.join('=')
  }
  return null
}
