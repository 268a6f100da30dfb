/**
 * The client of a KMS plugin: gRPC on its unix socket, the service `v2.KeyManagementService` (KEP-3299, CRYPT-11).
 *
 * It connects with the first call, and again after the connection was lost: a plugin may start after the server.
 *
 * @module
 */
import type { KmsPlugin, PluginStatus, SealedSeed } from "../../encryption/kms/plugin.ts";
import { readAnnotation, writeAnnotations } from "../../encryption/kms/envelope.ts";
import type { KmsSettings } from "../../encryption/configuration.ts";
import { frameOf } from "../../grpc/messages.ts";
import { GrpcSession } from "../../grpc/session.ts";
import type { Bytes } from "../../storage/contract.ts";
import { type Clock, type Timer } from "../../util/clock.ts";
import { WireReader } from "../../wire/encoding/wire-reader.ts";
import { WireWriter } from "../../wire/encoding/wire-writer.ts";

const SERVICE = "/v2.KeyManagementService";
/** How often running calls are checked for timeouts. */
const POLL_INTERVAL_MS = 250;

/** Observes the latency of a call. */
export type CallMeasure = (method: string, seconds: number, failed: boolean) => void;

/** A KMS plugin that listens on a socket. */
export class SocketPlugin implements KmsPlugin {
  readonly #settings: KmsSettings;
  readonly #clock: Clock;
  readonly #measure: CallMeasure;
  #session: Promise<GrpcSession> | undefined;
  #timer: Timer | undefined;
  #calls = 0;
  #isClosed = false;

  constructor(settings: KmsSettings, clock: Clock, measure: CallMeasure = () => {}) {
    this.#settings = settings;
    this.#clock = clock;
    this.#measure = measure;
  }

  async status(): Promise<PluginStatus> {
    const reader = new WireReader(await this.#call("Status", new WireWriter(16)));
    let [version, healthz, keyId] = ["", "", ""];
    while (reader.more) {
      const field = reader.field();
      if (field === 1) version = reader.text();
      else if (field === 2) healthz = reader.text();
      else if (field === 3) keyId = reader.text();
      else reader.skip();
    }
    return { version, healthz, keyId };
  }

  async encrypt(plain: Bytes, uid: string): Promise<SealedSeed> {
    const writer = new WireWriter(128);
    writer.textField(2, uid);
    writer.bytesField(1, plain);
    const reader = new WireReader(await this.#call("Encrypt", writer));
    let ciphertext: Bytes = Buffer.alloc(0);
    let keyId = "";
    const annotations = new Map<string, Bytes>();
    while (reader.more) {
      const field = reader.field();
      if (field === 1) ciphertext = Buffer.from(reader.bytes());
      else if (field === 2) keyId = reader.text();
      else if (field === 3) reader.message((entry) => readAnnotation(entry, annotations));
      else reader.skip();
    }
    return { ciphertext, keyId, annotations };
  }

  async decrypt({ ciphertext, keyId, annotations }: SealedSeed, uid: string): Promise<Bytes> {
    const writer = new WireWriter(256);
    writeAnnotations(writer, 4, annotations);
    writer.textField(3, keyId);
    writer.textField(2, uid);
    writer.bytesField(1, ciphertext);
    const reader = new WireReader(await this.#call("Decrypt", writer));
    let plain: Bytes = Buffer.alloc(0);
    while (reader.more) {
      if (reader.field() === 1) plain = Buffer.from(reader.bytes());
      else reader.skip();
    }
    return plain;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    void this.#session?.then(
      (session) => session.destroy("the plugin is not used any more"),
      () => {},
    );
  }

  async #call(method: string, message: WireWriter): Promise<Uint8Array> {
    const { timeoutMillis } = this.#settings;
    const began = this.#clock.steady();
    this.#calls++;
    let failed = true;
    try {
      const session = await this.#connected();
      const left = Math.max(1, timeoutMillis - (this.#clock.steady() - began));
      const response = session.call(`${SERVICE}/${method}`, frameOf(message), left);
      this.#expireLater(session);
      const bytes = await response;
      failed = false;
      return bytes;
    } finally {
      this.#calls--;
      this.#measure(method, (this.#clock.steady() - began) / 1000, failed);
    }
  }

  async #connected(): Promise<GrpcSession> {
    if (this.#isClosed) throw new Error("the plugin is not used any more");
    const known = await this.#session?.catch(() => undefined);
    if (known?.open) return known;
    const { socket, timeoutMillis } = this.#settings;
    const opening = GrpcSession.open("http://localhost", { socket }, this.#clock, timeoutMillis);
    this.#session = opening;
    return opening;
  }

  /** Fails calls that have timed out, while there are any. */
  #expireLater(session: GrpcSession): void {
    this.#timer?.cancel();
    if (this.#calls === 0 || this.#isClosed) return;
    this.#timer = this.#clock.after(POLL_INTERVAL_MS, () => {
      session.expire();
      this.#expireLater(session);
    });
  }
}
