import { resolve } from 'node:path'

/** The bundled made-up days. */
export const datasetsFolder: string = resolve(import.meta.dirname, '../../datasets')
