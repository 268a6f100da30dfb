/**
 * Reads the settings of a peer (RFC 9113 6.5).
 *
 * @module
 */
import { DEFAULT_FRAME_SIZE, ERROR, MAX_WINDOW, SETTING } from "./constants.ts";
import { ConnectionError } from "./errors.ts";
import type { Frame } from "./frame-reader.ts";

/** The settings of a peer that are used here. */
export interface PeerSettings {
  /** The initial window of each stream. */
  initialWindowSize?: number;
  /** The smallest table size that was set (RFC 7541 4.2). */
  headerTableSize?: number;
  /** The maximum of open streams. */
  maxConcurrentStreams?: number;
}

const ENTRY = 6;
const MAX_FRAME_SIZE = 2 ** 24 - 1;

/** Reads a SETTINGS frame; the last value of a name counts, except for the table. @throws ConnectionError for an invalid value */
export function peerSettings({ bytes, from, to }: Frame): PeerSettings {
  if ((to - from) % ENTRY !== 0) throw new ConnectionError(ERROR.frameSize, "expected settings of six bytes each");
  const settings: PeerSettings = {};
  for (let at = from; at < to; at += ENTRY) {
    const name = bytes.readUInt16BE(at);
    const value = bytes.readUInt32BE(at + 2);
    check(name, value);
    if (name === SETTING.initialWindowSize) settings.initialWindowSize = value;
    if (name === SETTING.maxConcurrentStreams) settings.maxConcurrentStreams = value;
    if (name === SETTING.headerTableSize) settings.headerTableSize = Math.min(value, settings.headerTableSize ?? value);
  }
  return settings;
}

function check(name: number, value: number): void {
  if (name === SETTING.initialWindowSize && value > MAX_WINDOW) {
    throw new ConnectionError(ERROR.flowControl, `expected a window of ${MAX_WINDOW} bytes at most, got ${value}`);
  }
  if (name === SETTING.enablePush && value > 1) {
    throw new ConnectionError(ERROR.protocol, `expected ENABLE_PUSH to be 0 or 1, got ${value}`);
  }
  if (name === SETTING.maxFrameSize && (value < DEFAULT_FRAME_SIZE || value > MAX_FRAME_SIZE)) {
    throw new ConnectionError(
      ERROR.protocol,
      `expected a frame size of ${DEFAULT_FRAME_SIZE} bytes or more, got ${value}`,
    );
  }
}
