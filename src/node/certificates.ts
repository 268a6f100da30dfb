/**
 * Certificates of Pods: the agent generates a key, creates a PodCertificateRequest, waits until the signer issues the
 * certificate, and requests another one at the time that the signer names (PROJ-27..29). A failed request is repeated after
 * a pause.
 *
 * Keys are in memory only. After a restart new ones are generated, and files stay until the new certificates are issued.
 *
 * @module
 */
import { keyText } from "../client/index.ts";
import { Node, type Pod, PodCertificateRequest, ServiceAccount } from "../client/kinds/index.ts";
import { parseTime } from "../meta/time.ts";
import { type HeldInformer, sharedInformer } from "../runtime/index.ts";
import { type BackoffOptions, backoff } from "../util/backoff.ts";
import type { Clock } from "../util/clock.ts";
import type { IssuedCertificate, ProjectedSource } from "../volumes/contract.ts";
import { type PodKey, makePodKey } from "./certificate-key.ts";
import type { PluginContext } from "./contract.ts";

type CertificateSource = NonNullable<ProjectedSource["podCertificate"]>;

interface Issued extends IssuedCertificate {
  /** Milliseconds since the epoch. */
  readonly refreshAt: number;
  readonly endsAt: number;
}

/** The certificate of a source of a volume, and the state of its request. */
interface State {
  readonly podUid: string;
  issued?: Issued;
  /** The open request, and the steady time until which no event about it may come. */
  pending?: { readonly request: string; readonly key: PodKey; readonly lostAt: number } | undefined;
  requesting?: Promise<void> | undefined;
  /** Why the signer has refused. */
  refused?: string | undefined;
  /** All failures in a row. */
  failures: number;
  /** The steady time before which no request is made while a certificate is valid, or after a refusal. */
  notBefore: number;
}

const DAY_SECONDS = 86_400;
/** The pauses after a signer has refused. */
const REFUSED_PAUSES = { first: 60_000, most: 3_600_000 };
/** The pauses after a failed or removed request: they end long before a certificate does. */
const RETRY_PAUSES = { first: 1000, most: 60_000 };
/** The minimum time between renewals, also where the clock of the signer differs. */
const MIN_RENEWAL_MS = 60_000;
/** A request without an event for this long was removed before the informer saw it. */
const UNSEEN_MS = 600_000;

/** See the head of this file. */
export class CertificateKeeper implements Disposable {
  readonly #context: PluginContext;
  readonly #states = new Map<string, State>();
  #requests: HeldInformer<PodCertificateRequest, "Namespaced"> | undefined;

  constructor(context: PluginContext) {
    this.#context = context;
  }

  /**
   * The certificate of a source of a volume; undefined until it is issued, which reconciles the Pod again.
   *
   * @throws where the request fails, or the signer has refused it
   */
  async get(pod: Pod, source: CertificateSource, volume: string): Promise<IssuedCertificate | undefined> {
    const state = this.#stateOf(pod, source, volume);
    const { clock, log } = this.#context;
    const valid = validOf(state, clock);
    if (valid && clock.now() < valid.refreshAt) return valid;
    if (clock.steady() < state.notBefore) {
      if (valid) return valid;
      if (state.refused !== undefined) throw new Error(state.refused);
    }
    if (this.#isUnseen(state)) this.#drop(state);
    if (!state.pending) {
      try {
        await (state.requesting ??= this.#request(state, pod, source).finally(() => this.#requested(state)));
      } catch (error) {
        this.#pause(state, RETRY_PAUSES);
        if (!valid) throw error;
        const { name, uid } = pod.metadata;
        log.warn("a certificate of a Pod was not renewed", { pod: name, error: String(error) }, uid);
      }
    }
    return validOf(state, clock);
  }

  /** Milliseconds until a source needs a renewal, or a repeated request after a failure. */
  renewsIn(pod: Pod, source: CertificateSource, volume: string): number | undefined {
    const state = this.#states.get(keyOf(pod, source, volume));
    if (!state?.issued) return undefined;
    const { clock } = this.#context;
    const paused = state.notBefore - clock.steady();
    if (state.pending) return Math.max(paused, state.pending.lostAt - clock.steady());
    return Math.max(0, state.issued.refreshAt - clock.now(), paused);
  }

  /** Forgets the keys of a Pod (PROJ-58). */
  forget(podUid: string): void {
    for (const [key, state] of this.#states) if (state.podUid === podUid) this.#states.delete(key);
    this.#unwatchIfIdle();
  }

  [Symbol.dispose](): void {
    this.#states.clear();
    this.#unwatchIfIdle();
  }

  #stateOf(pod: Pod, source: CertificateSource, volume: string): State {
    const key = keyOf(pod, source, volume);
    const state = this.#states.get(key) ?? { podUid: pod.metadata.uid, failures: 0, notBefore: 0 };
    this.#states.set(key, state);
    return state;
  }

  #requested(state: State): void {
    state.requesting = undefined;
    // The Pod may have been forgotten meanwhile.
    this.#unwatchIfIdle();
  }

  async #request(state: State, pod: Pod, source: CertificateSource): Promise<void> {
    const key = await makePodKey(source.keyType, pod.metadata.uid);
    const { client } = this.#context;
    const { namespace = "", name, uid } = pod.metadata;
    const account = { namespace, name: pod.spec.serviceAccountName ?? "" };
    const [node, serviceAccount] = await Promise.all([
      client.resource(Node).get({ name: this.#context.node }),
      client.resource(ServiceAccount).get(account),
    ]);
    this.#watch();
    const request = await client.resource(PodCertificateRequest).create({
      metadata: {
        namespace,
        generateName: "pod-",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
      },
      spec: {
        signerName: source.signerName,
        podName: name,
        podUID: uid,
        serviceAccountName: account.name,
        serviceAccountUID: serviceAccount.metadata.uid,
        nodeName: node.metadata.name,
        nodeUID: node.metadata.uid,
        maxExpirationSeconds: source.maxExpirationSeconds ?? DAY_SECONDS,
        pkixPublicKey: key.publicKey,
        proofOfPossession: key.proof,
        ...(source.userAnnotations ? { unverifiedUserAnnotations: source.userAnnotations } : {}),
      },
    });
    state.refused = undefined;
    const lostAt = this.#context.clock.steady() + UNSEEN_MS;
    state.pending = { request: keyText({ namespace, name: request.metadata.name }), key, lostAt };
    // The informer may have seen the result before the name was known here.
    const seen = this.#requests?.get({ namespace, name: request.metadata.name });
    if (seen) this.#onChange(seen);
  }

  /** Watches the requests of the node while one is pending. */
  #watch(): void {
    if (this.#requests) return;
    const spec = sharedInformer(PodCertificateRequest, { fieldSelector: `spec.nodeName=${this.#context.node}` });
    this.#requests = this.#context.informer(spec);
    this.#requests.on(({ type, object }) => (type === "deleted" ? this.#onDelete(object) : this.#onChange(object)));
  }

  #unwatchIfIdle(): void {
    const states = [...this.#states.values()];
    if (states.some(({ pending, requesting }) => pending !== undefined || requesting !== undefined)) return;
    this.#requests?.[Symbol.dispose]();
    this.#requests = undefined;
  }

  #pendingOf({ metadata }: PodCertificateRequest): State | undefined {
    const request = nameOf(metadata);
    return [...this.#states.values()].find(({ pending }) => pending?.request === request);
  }

  /** Reads the result of a request. */
  #onChange(request: PodCertificateRequest): void {
    const state = this.#pendingOf(request);
    const outcome = (request.status.conditions ?? []).find(({ status }) => status === "True");
    if (!state?.pending || !outcome) return;
    const { key } = state.pending;
    state.pending = undefined;
    if (outcome.type === "Issued") {
      state.issued = issuedOf(key, request);
      Object.assign(state, { failures: 0, notBefore: this.#context.clock.steady() + MIN_RENEWAL_MS });
    } else {
      const { reason, message } = outcome;
      const why = [reason, message].filter((text) => text !== "").join(": ");
      state.refused = `the request to ${request.spec.signerName} has the condition ${outcome.type}: ${why}`;
      this.#pause(state, REFUSED_PAUSES);
    }
    this.#end(state);
  }

  /** A request that was deleted without a result is repeated after a pause. */
  #onDelete(request: PodCertificateRequest): void {
    const state = this.#pendingOf(request);
    if (!state) return;
    this.#drop(state);
    this.#end(state);
  }

  #drop(state: State): void {
    state.pending = undefined;
    this.#pause(state, RETRY_PAUSES);
  }

  /** Whether a request was deleted before the informer saw it, so that no event comes. */
  #isUnseen({ pending }: State): boolean {
    if (!pending || this.#context.clock.steady() < pending.lostAt) return false;
    return this.#requests?.list().every(({ metadata }) => nameOf(metadata) !== pending.request) ?? true;
  }

  #pause(state: State, pauses: BackoffOptions): void {
    const { clock, random } = this.#context;
    state.notBefore = clock.steady() + backoff(state.failures++, pauses, random);
  }

  #end({ podUid }: State): void {
    this.#unwatchIfIdle();
    this.#context.lookAt(podUid);
  }
}

const nameOf = ({ namespace = "", name }: PodCertificateRequest["metadata"]): string => keyText({ namespace, name });

const validOf = ({ issued }: State, clock: Pick<Clock, "now">): Issued | undefined =>
  issued && clock.now() < issued.endsAt ? issued : undefined;

const keyOf = ({ metadata: { uid } }: Pod, source: CertificateSource, volume: string): string =>
  JSON.stringify([uid, volume, source]);

function issuedOf({ pem: key }: PodKey, { status }: PodCertificateRequest): Issued {
  const { certificateChain: chain = "", beginRefreshAt = "", notAfter = "" } = status;
  return { key, chain, refreshAt: parseTime(beginRefreshAt) ?? 0, endsAt: parseTime(notAfter) ?? 0 };
}
