/**
 * Clients of TLS: right ones, whose records may be cut anywhere, and ones whose bytes are changed or end on their way.
 *
 * @module
 */
import { Draw } from "../../src/util/testing/draw.ts";

/** What a client is, or what happens to its bytes. */
export type TlsStep =
  | { readonly do: "offer"; readonly protocols: readonly string[] }
  | { readonly do: "version"; readonly version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3" }
  /** Its bytes leave in pieces of these sizes, again and again. */
  | { readonly do: "cut"; readonly sizes: readonly number[] }
  | { readonly do: "flip"; readonly at: number; readonly bits: number }
  | { readonly do: "insert"; readonly at: number; readonly base64: string }
  /** Nothing leaves behind so many bytes. */
  | { readonly do: "stop"; readonly at: number; readonly by: "fin" | "rst" }
  /** It speaks no TLS, and sends this. */
  | { readonly do: "plain"; readonly base64: string };

/** What a client does on one connection of TLS. */
export interface TlsScript {
  readonly as: "tls";
  readonly steps: readonly TlsStep[];
}

const OFFERS = [[], ["http/1.1"], ["h2"], ["h2", "http/1.1"], ["http/1.1", "h2"], ["spdy/3"], ["spdy/3", "http/1.1"]];
/** Bytes of a client until it has been answered, about. */
const USUAL_BYTES = 900;
const PLAIN = [
  "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "SSH-2.0-OpenSSH_9.6\r\n",
  "\x16",
  "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
  "\x16\x03\x01\xff\xff",
  "\x15\x03\x01\x00\x02\x02\x28",
  "\x80\x2e\x01\x03\x01",
  "",
];

/** Draws a script. */
export function drawTls(seed: number): TlsScript {
  const draw = new Draw(seed);
  if (draw.chance(0.3)) return { as: "tls", steps: [plain(draw)] };
  const steps: TlsStep[] = [];
  if (draw.chance(0.7)) steps.push({ do: "offer", protocols: draw.pick(OFFERS) });
  if (draw.chance(0.3)) steps.push({ do: "version", version: draw.pick(["TLSv1.1", "TLSv1.2", "TLSv1.3"]) });
  if (draw.chance(0.6)) steps.push({ do: "cut", sizes: draw.many(1 + draw.below(5), () => 1 + draw.small(600)) });
  if (draw.chance(0.5)) steps.push(...draw.many(1 + draw.small(3), () => harm(draw)));
  return { as: "tls", steps };
}

function plain(draw: Draw): TlsStep {
  const bytes = draw.chance(0.7) ? Buffer.from(draw.pick(PLAIN), "latin1") : draw.bytes(draw.small(3000));
  return { do: "plain", base64: bytes.toString("base64") };
}

function harm(draw: Draw): TlsStep {
  const at = draw.below(USUAL_BYTES);
  return draw.one<TlsStep>(
    () => ({ do: "flip", at, bits: 1 + draw.below(255) }),
    () => ({ do: "insert", at, base64: draw.bytes(1 + draw.small(300)).toString("base64") }),
    () => ({ do: "stop", at, by: draw.pick(["fin", "rst"]) }),
  );
}
