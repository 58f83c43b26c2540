/** The classes that each class word of a search stands for: classes, then aliases (spec 1, "Search and discovery"). */
export const SEARCH_CLASSES = {
  spot: ['spot'], perpetual: ['perpetual'], future: ['future'], call: ['call'], put: ['put'],
  prediction: ['prediction'], perp: ['perpetual'], swap: ['perpetual'], futures: ['future'], option: ['call', 'put'],
} as const
