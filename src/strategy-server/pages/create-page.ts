import type { Wire } from '../../protocol/strategies/strategy-schemas.js'
import { element } from '../../panels/element-page.js'
import type { LivePlace } from './live-frames.js'
import { placeText } from './place-words-page.js'
import { ask, type ShownFault } from './rest-page.js'

type Strategy = Wire<'InstalledStrategy'>
type Parameter = Wire<'StrategyParameter'>

/** A field of the form: its input, and its value as a config states it; undefined: it is left out. */
interface Field {
  readonly root: HTMLElement
  readonly paths: ReadonlyMap<string, HTMLElement>
  value(): unknown
}

/** Types whose values are numbers in a config; a Long may be any text of digits. */
const NUMBERS: ReadonlySet<string> = new Set(['Integer', 'Double', 'Float', 'Number'])

/** An example of the text that a type takes. */
function hintOf(type: string): string {
  if (type === 'TradingInstrument' || type === 'DataInstrument') return 'BTCUSDT'
  if (type === 'Account') return 'paper'
  if (type.startsWith('List<')) return '["1", "2"]'
  return type.startsWith('TwoSides<') ? '{"bid": "1", "ask": "1"}' : ''
}

function isList(type: string): boolean {
  return /^(?:List|TwoSides)</.test(type)
}

/** The text of an input as a value: JSON of lists and pairs, a number where a config has one, else the text, exact. */
function valueOf(type: string, text: string): unknown {
  if (text === '') return undefined
  if (isList(type)) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return NUMBERS.has(type) && Number.isFinite(Number(text)) ? Number(text) : text
}

function plainField({ name, type, optional, default: given, min }: Parameter, path: string): Field {
  const isFlag = type === 'Boolean'
  const input = element('input', {
    attributes: {
      type: isFlag ? 'checkbox' : 'text', id: path, name: path, autocomplete: 'off', spellcheck: 'false',
      ...isFlag ? {} : { placeholder: given === undefined ? hintOf(type) : JSON.stringify(given) },
      ...optional || isFlag ? {} : { required: '' }, 'aria-describedby': `${path}-words`,
    },
  })
  if (isFlag) input.checked = given === true
  const least = min === undefined ? '' : `, at least ${min}`
  const words = element('span', {
    class: 'soft', text: `${type}${least}${optional ? ', may be left out' : ''}`, attributes: { id: `${path}-words` },
  })
  const fault = element('span', { class: 'error', attributes: { role: 'alert' } })
  return {
    root: element('div', { class: 'field' }, [
      element('label', { text: name, attributes: { for: path } }), input, words, fault,
    ]),
    paths: new Map([[path, fault]]),
    value: () => (isFlag ? input.checked : valueOf(type, input.value.trim())),
  }
}

function compositeField({ name, parameters = [] }: Parameter, path: string): Field {
  const fields = parameters.map((one) => fieldOf(one, `${path}.${one.name}`))
  const root = element('fieldset', {}, [element('legend', { text: name }), ...fields.map((one) => one.root)])
  return { root, paths: new Map(fields.flatMap(({ paths }) => [...paths])), value: () => valuesOf(parameters, fields) }
}

function fieldOf(parameter: Parameter, path: string): Field {
  const isComposite = parameter.parameters !== undefined && !isList(parameter.type)
  return isComposite ? compositeField(parameter, path) : plainField(parameter, path)
}

/** The values by their names; undefined where every one is left out. */
function valuesOf(parameters: readonly Parameter[], fields: readonly Field[]): Record<string, unknown> | undefined {
  const given = parameters.flatMap(({ name }, at) => {
    const value = fields[at]?.value()
    return value === undefined ? [] : [[name, value] as const]
  })
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** The dialog that creates an instance: its form is made of the parameters of the strategy that is chosen. */
export class CreateDialog {
  readonly root: HTMLDialogElement
  readonly #strategy: HTMLSelectElement = element('select', { attributes: { id: 'strategy', required: '' } })
  readonly #name: HTMLInputElement = element('input', {
    attributes: { id: 'instanceName', type: 'text', required: '', maxlength: '249', autocomplete: 'off' },
  })
  readonly #venue: HTMLSelectElement = element('select', { attributes: { id: 'venue', required: '' } })
  readonly #fields: HTMLElement = element('div')
  readonly #words: HTMLElement = element('p', { class: 'error', attributes: { role: 'alert' } })
  /** The strategies that were installed when it was opened last. */
  #installed = ''
  #strategies: readonly Strategy[] = []
  #parameters: readonly Parameter[] = []
  #own: readonly Field[] = []

  constructor(private readonly onCreated: (instanceId: string) => void) {
    const fixed = [['strategy', this.#strategy], ['name', this.#name], ['venue', this.#venue]] as const
    const form = element('form', {}, [
      ...fixed.map(([text, input]) => (
        element('div', { class: 'field' }, [element('label', { text, attributes: { for: input.id } }), input]))),
      this.#fields, this.#words,
      element('div', { class: 'group' }, [
        element('button', { text: 'Create', class: 'main', attributes: { type: 'submit' } }),
        element('button', { text: 'Close', attributes: { type: 'button' }, onClick: () => { this.root.close() } }),
      ]),
    ])
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#create()
    })
    this.#strategy.addEventListener('change', () => { this.#choose() })
    this.root = element('dialog', { class: 'create', attributes: { 'aria-label': 'New instance' } }, [
      element('h2', { text: 'New instance' }), form,
    ])
  }

  /** The venues that may be chosen, the first by default. */
  setVenues(venues: readonly LivePlace[]): void {
    const chosen = this.#venue.value
    this.#venue.replaceChildren(...venues.map((place) => (
      element('option', { text: placeText(place), attributes: { value: place.venue } }))))
    if (venues.some(({ venue }) => venue === chosen)) this.#venue.value = chosen
  }

  /** Opens it with the strategies that are installed now. */
  async open(): Promise<void> {
    this.#words.textContent = ''
    this.root.showModal()
    const answer = await ask<readonly Strategy[]>('GET', '')
    if ('refusal' in answer) {
      this.#words.textContent = answer.refusal
      return
    }
    const broken = answer.value.filter(({ error }) => error !== undefined)
    this.#words.textContent = broken.map(({ module, error = '' }) => `${module}: ${error}`).join('; ')
    // The user may be typing already: fields that are the same stay.
    const installed = JSON.stringify(answer.value)
    if (installed === this.#installed) return
    this.#installed = installed
    this.#strategies = answer.value.filter(({ strategyName, error }) => (
      strategyName !== undefined && error === undefined))
    const names = this.#strategies.map(({ strategyName }) => strategyName)
    this.#strategy.replaceChildren(...this.#strategies.map(({ module, strategyName = '' }, at) => {
      const isOnly = names.indexOf(strategyName) === names.lastIndexOf(strategyName)
      const text = isOnly ? strategyName : `${module}#${strategyName}`
      return element('option', { text, attributes: { value: String(at) } })
    }))
    this.#choose()
  }

  #choose(): void {
    this.#parameters = this.#strategies[Number(this.#strategy.value)]?.parameters ?? []
    this.#own = this.#parameters.map((one) => fieldOf(one, `parameters.${one.name}`))
    this.#fields.replaceChildren(...this.#own.map(({ root }) => root))
  }

  async #create(): Promise<void> {
    const strategy = this.#strategies[Number(this.#strategy.value)]
    if (strategy === undefined) return
    const answer = await ask<Wire<'Instance'>>('POST', '/instance', {
      instanceName: this.#name.value, strategyName: `${strategy.module}#${strategy.strategyName ?? ''}`,
      parameters: valuesOf(this.#parameters, this.#own) ?? {}, venue: this.#venue.value,
    })
    if ('refusal' in answer) this.#refuse(answer.refusal, answer.faults)
    else {
      this.root.close()
      this.onCreated(answer.value.instanceId)
    }
  }

  /** Faults stand beside their fields; those of no field, and the refusal, below. */
  #refuse(refusal: string, faults: readonly ShownFault[]): void {
    const places = new Map(this.#own.flatMap(({ paths }) => [...paths]))
    for (const place of places.values()) place.textContent = ''
    const rest: string[] = []
    for (const { path, expected, found } of faults) {
      const words = `must be ${expected}, found ${found}`
      const place = [...places].find(([own]) => (
        path === own || path.startsWith(`${own}[`) || path.startsWith(`${own}.`)))
      if (place === undefined) rest.push(`${path} ${words}`)
      else place[1].textContent = words
    }
    this.#words.textContent = [refusal, ...rest].join(' · ')
  }
}
