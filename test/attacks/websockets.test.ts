/** Watchers over WebSocket who do not keep to its rules. */
import { expect } from "vitest";
import { CONFIG_MAPS } from "../serve/keelson.ts";
import { type Attack, type Row, attacks, becomes } from "./rows.ts";
import { TOKEN, type Target } from "./target.ts";
import { Wire } from "./wire.ts";

const WITH_TOKEN = `authorization: Bearer ${TOKEN}\r\n`;
const MASK = Buffer.alloc(4);
/** Bits of the first two bytes of a frame (RFC 6455 5.2). */
const FIN = 0x80;
const MASKED = 0x80;
const OPCODE = { continuation: 0, text: 1, binary: 2, reserved: 3, ping: 9 } as const;

/** A frame of up to 125 bytes as a client has to send it. */
const frame = (first: number, payload: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([first, MASKED | payload.length]), MASK, payload]);

async function ask(target: Target, credential: string, code: number): Promise<Wire> {
  const wire = await Wire.open(target, "http/1.1");
  const handshake = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`;
  wire.send(`GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nhost: x\r\n${credential}${handshake}\r\n`);
  expect(await becomes(() => wire.codes.length > 0)).toBe(true);
  expect(wire.codes).toEqual([code]);
  return wire;
}

/** What ends the connection. */
const ends =
  (bytes: Buffer) =>
  async ({ target }: Attack): Promise<void> => {
    const wire = await ask(target, WITH_TOKEN, 101);
    wire.send(bytes);
    expect(await wire.ends()).toBe(true);
  };

/** What is sent without an end; `begin` is sent before. */
const flood =
  (piece: Buffer, times: number, begin: Buffer = Buffer.alloc(0)) =>
  async ({ target }: Attack): Promise<void> => {
    const wire = await ask(target, WITH_TOKEN, 101);
    wire.deaf();
    wire.send(begin);
    await wire.flood(Buffer.concat(Array.from({ length: 100 }, () => piece)), times / 100);
    wire.destroy();
  };

const hugeHead = Buffer.from([FIN | OPCODE.binary, MASKED | 127, 0, 0, 0, 0, 0x80, 0, 0, 0, ...MASK]);

const ROWS: readonly Row[] = [
  {
    name: "no token",
    play: async ({ target }) => {
      expect(await (await ask(target, "", 401)).ends()).toBe(true);
    },
  },
  { name: "a frame without a mask", play: ends(Buffer.from([FIN | OPCODE.text, 1, 0x61])) },
  { name: "a frame of 2 GiB", play: ends(hugeHead) },
  { name: "an opcode that is reserved", play: ends(frame(FIN | OPCODE.reserved)) },
  { name: "a million pings whose answers are not read", play: flood(frame(FIN | OPCODE.ping, Buffer.alloc(125)), 1e6) },
  {
    name: "a message in a million empty fragments",
    play: flood(frame(OPCODE.continuation), 1e6, frame(OPCODE.text)),
  },
];

attacks("Over WebSocket", "test/attacks/websockets.test.ts", ROWS);
