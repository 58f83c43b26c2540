/**
 * Days of tick files as a vendor's servers give them: the simulated feed and order entry, opened by a program, a
 * strategy server, and the types of a run over sockets.
 *
 * @module
 */
export type { LiveFeed, LiveResult, RecordedDayFile } from './live/live-options.js'
export { openServing, type ServedDays } from './serve/open-serving.js'
export type {
  PlannedControl, ReplaySpeed, ReplayStart, ServeAddresses, ServeKey, ServeOptions,
} from './serve/serve-options.js'
export type { HostVenue, ReplayVenue, StrategyVenue } from './strategy-server/instance-run.js'
export type { StrategyServer } from './strategy-server/open-strategy-server.js'
export { openStrategyServer } from './strategy-server/strategy-server.js'
export type { StrategyServerConfig, StrategyServerLimits } from './strategy-server/strategy-server-options.js'
export type { ShopAccount, ShopRealtimeDays, ShopSettings } from './shop/server/shop-settings.js'
