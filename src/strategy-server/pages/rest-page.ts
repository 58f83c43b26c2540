import type { Wire } from '../../protocol/strategies/strategy-schemas.js'

/** A fault of a value, by the path of a run file. */
export interface ShownFault {
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** The answer of the server: what was asked for, or its refusal in words. */
export type Answer<Value> =
  | { readonly value: Value }
  | { readonly refusal: string, readonly faults: readonly ShownFault[] }

type Refused = Partial<{ readonly error: { readonly message: string, readonly details: unknown } }>

/** Asks the server's REST API. */
export async function ask<Value>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer<Value>> {
  try {
    const response = await fetch(`/api/v1/strategy${path}`, {
      method, ...body === undefined ? {} : {
        headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      },
    })
    const text = await response.text()
    if (response.ok) return { value: (text === '' ? null : JSON.parse(text)) as Value }
    const { error } = JSON.parse(text) as Refused
    return { refusal: error?.message ?? `status ${response.status}`, faults: faultsOf(error?.details) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { refusal: `The server does not answer: ${why}`, faults: [] }
  }
}

function faultsOf(details: unknown): readonly ShownFault[] {
  const { faults } = (details ?? {}) as { readonly faults?: unknown }
  return Array.isArray(faults) ? faults as readonly ShownFault[] : []
}

/** The name of an instance in the path of a request. */
export function instancePath({ instanceId }: Pick<Wire<'Instance'>, 'instanceId'>, action: string): string {
  return `/instance/${encodeURIComponent(instanceId)}/${action}`
}
