export { BacktapeError, ERROR_CODES, type ErrorCode, type ErrorPlace } from './model/error.js'
export { epochNsFromText } from './model/time.js'
