/** The same fields, to be assigned while an object is made: whoever makes it hands it on as the readonly type. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }
