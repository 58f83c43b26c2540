const FINAL_TEXT = 0x81
const SHORT_MAX = 125
const MIDDLE_MAX = 0xffff
const HEADER_MAX = 10

const encoder = new TextEncoder()

/** A text as a server sends it over a WebSocket (RFC 6455, section 5.2): one frame, unmasked, header and payload. */
export function textFrame(text: string): Uint8Array {
  const payload = encoder.encode(text)
  const { length } = payload
  const header = length <= SHORT_MAX ? 2 : length <= MIDDLE_MAX ? 4 : HEADER_MAX
  const frame = new Uint8Array(header + length)
  frame[0] = FINAL_TEXT
  if (header === 2) frame[1] = length
  else {
    const view = new DataView(frame.buffer)
    frame[1] = header === 4 ? 126 : 127
    if (header === 4) view.setUint16(2, length)
    else view.setBigUint64(2, BigInt(length))
  }
  frame.set(payload, header)
  return frame
}
