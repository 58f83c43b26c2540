import type { Wire } from '../../protocol/strategies/strategy-schemas.js'
import type { StretchPart } from '../../panels/growing-stretch.js'
import type { LivePoint } from '../../panels/live-look.js'
import type { SeriesColumns } from '../../panels/reduced-series.js'
import type { StretchColumns } from '../../panels/stretch-columns.js'

/** A venue of instances, as the live view shows it. */
export interface LivePlace {
  /** Name of its venue in the configuration. */
  readonly venue: string
  /** `missing`: the configuration has none of this name. */
  readonly kind: 'replay' | 'simulated' | 'live' | 'missing'
}

/** An instance in the list of the live view. */
export interface LiveInstance {
  readonly instance: Wire<'Instance'>
  readonly status: Wire<'InstanceStatus'>
  readonly place: LivePlace
}

/** The replay that is served beside the strategy server. */
export interface LiveReplay {
  /** Market time, epoch nanoseconds. */
  readonly time: string
  /** Its first instant, epoch nanoseconds. */
  readonly from: string
  /** `WAITING`: for the first subscription, or for Play. */
  readonly state: 'WAITING' | 'PLAYING' | 'PAUSED' | 'ENDED'
  readonly speed: 'max' | 'lockstep' | number
  /** True where `step` moves it. */
  readonly isStepped: boolean
}

/** An action of the control port that a viewer may ask for. */
export type ReplayAction = 'pause' | 'resume' | 'step' | 'speed' | 'go-to'

/** Lines from the begin of a watch on. */
export interface LiveSeries {
  /** By the places of instruments, at the price scale of the stretch. */
  readonly prices: readonly SeriesColumns[]
  readonly profit: SeriesColumns
  /** By the places of instruments. */
  readonly positions: readonly SeriesColumns[]
}

/**
 * A frame of the server. `venues`: the configured ones, once, before anything else. `instances`: all of them at first,
 * then those that have changed, at most four times a second; `deleted` are no more. `stretch`: a stretch of a run
 * begins, at first and where the one before is full. `part`: what follows it, at most 20 times a second, and only
 * behind a `shown` of the viewer: a slow one gets fewer parts, and never fewer fills. `replay`: the served one, where
 * there is one, at first and when it has changed; `controlled`: the action that was asked for is done, or refused.
 * The `instanceId` of the served replay is null.
 */
export type LiveFrame =
  | { readonly op: 'venues', readonly venues: readonly LivePlace[] }
  | { readonly op: 'instances', readonly instances: readonly LiveInstance[], readonly deleted: readonly string[] }
  | {
    readonly op: 'stretch', readonly instanceId: string | null
    readonly columns: StretchColumns, readonly series: LiveSeries
  }
  | {
    readonly op: 'part', readonly instanceId: string | null
    readonly part: StretchPart, readonly points: readonly LivePoint[]
  }
  | { readonly op: 'replay', readonly replay: LiveReplay }
  | { readonly op: 'controlled', readonly refusal: string | null }
  | { readonly op: 'error', readonly message: string }

/**
 * A frame of a viewer. It watches one instance at a time, or the served replay (null); `shown`: it has drawn the last
 * frame, and wants the next; `control`: moves the served replay, with the fields of the control port.
 */
export type ViewerFrame =
  | { readonly op: 'watch', readonly instanceId: string | null }
  | { readonly op: 'control', readonly action: ReplayAction, readonly fields: Readonly<Record<string, unknown>> }
  | { readonly op: 'leave' }
  | { readonly op: 'shown' }
