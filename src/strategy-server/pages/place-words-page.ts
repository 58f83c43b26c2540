import type { LivePlace } from './live-frames.js'

/** A venue in a list: its name and its kind. */
export function placeText({ venue, kind }: LivePlace): string {
  return `${venue} · ${kind === 'missing' ? 'not configured' : kind}`
}

/** A venue over a run. */
export function placeWords({ venue, kind }: LivePlace): string {
  switch (kind) {
    case 'live': return `LIVE · ${venue} · real money`
    case 'replay': return `replay · ${venue} · recorded days`
    case 'simulated': return `simulated · ${venue}`
    case 'missing': return `the venue ${venue} is not configured`
  }
}
