/**
 * The numbers of HTTP/2: frames, flags, settings and error codes (RFC 9113 6 and 7).
 *
 * @module
 */

/** The beginning of every connection, as latin1 (RFC 9113 3.4). */
export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Types of frames (RFC 9113 6). */
export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames; each type has some of them. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Settings (RFC 9113 6.5.2). */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Error codes of RST_STREAM and GOAWAY (RFC 9113 7). */
export const ERROR = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  connect: 10,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
  http11Required: 13,
} as const;

/** Bytes of the head of a frame. */
export const FRAME_HEAD = 9;

/** The default sizes of the table, of frames and of the window, in bytes (RFC 9113 6.5.2). */
export const DEFAULT_TABLE_SIZE = 4096;
export const DEFAULT_FRAME_SIZE = 16_384;
export const DEFAULT_WINDOW = 65_535;

/** The largest window (RFC 9113 6.9.1). */
export const MAX_WINDOW = 2 ** 31 - 1;
