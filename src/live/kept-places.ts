/** Numbers by account and name, the newest so many. */
export class KeptPlaces {
  readonly #places: Map<string, number> = new Map()

  constructor(private readonly most: number) {}

  get(accountId: string, name: string): number | undefined {
    return this.#places.get(`${accountId} ${name}`)
  }

  set(accountId: string, name: string, place: number): void {
    this.#places.set(`${accountId} ${name}`, place)
    if (this.#places.size <= this.most) return
    for (const oldest of this.#places.keys()) {
      this.#places.delete(oldest)
      return
    }
  }
}
