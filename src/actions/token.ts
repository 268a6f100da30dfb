/**
 * `serviceaccounts/NAME/token`: a signed token for audiences and a lifetime (SUP-7, AUTHN-22 to AUTHN-29).
 *
 * Nothing is stored; a dry run returns a token too, as kube-apiserver does.
 *
 * @module
 */
import type { Issuance, Named, TokenClaims, TokenSigner } from "../auth/service-account-tokens.ts";
import { FieldErrors } from "../meta/field-errors.ts";
import { pathSegment } from "../meta/names.ts";
import { badRequest, conflict, invalid, notFound } from "../meta/status.ts";
import { formatTime } from "../meta/time.ts";
import { type Action, type ActionRequest, type Actions, actionKey } from "../registry/index.ts";
import { guardOf } from "../schema/api-object.ts";
import { assert } from "../util/assert.ts";
import type { ApiObject } from "../schema/definition.ts";
import { asPod } from "./pods.ts";
import type { Lookup } from "../schema/lookup.ts";

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** What node agents request for a Pod without a lifetime: such tokens are valid for a year (AUTHN-29). */
const POD_SECONDS = 3607;
const YEAR_SECONDS = 365 * 86_400;
const REQUEST = { group: "authentication.k8s.io", kind: "TokenRequest" };

interface TokenSpec {
  audiences?: string[] | null;
  expirationSeconds?: number;
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

const isTokenRequest = guardOf<ApiObject & { readonly spec: TokenSpec }>(REQUEST.kind);

function specOf(object: ApiObject): TokenSpec {
  assert(isTokenRequest(object), "the action gets objects of its kind");
  return object.spec;
}

/**
 * The action of a TokenRequest of a service account.
 *
 * @param wallTime the time of clients, where it is not that of objects
 */
export function tokenAction(lookup: Lookup, signer: () => TokenSigner, wallTime?: () => number): Actions {
  const handle: Action["handle"] = async ({ object, target, parent, ctx, caller }) => {
    const { uid = "" } = parent().metadata;
    const signing = signer();
    const { issuance } = signing;
    const spec = specOf(object);
    const bound = bindTo(lookup, target, spec);
    const audiences = spec.audiences?.length ? spec.audiences : [...issuance.audiences];
    const seconds = shortened(spec.expirationSeconds ?? MAX_SECONDS, issuance, ctx.warnings);
    const now = wallTime?.() ?? ctx.clock.now();
    const { token, id } = await signing.sign({
      namespace: target.namespace,
      serviceAccount: { name: target.name, uid },
      ...bound,
      audiences,
      ...lifetime(seconds, audiences, bound, issuance),
    });
    caller.note?.("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
    Object.assign(spec, { audiences, expirationSeconds: seconds });
    object["status"] = { token, expirationTimestamp: formatTime(now + seconds * 1000) };
    Object.assign(object.metadata, {
      name: target.name,
      namespace: target.namespace,
      uid,
      creationTimestamp: formatTime(now),
    });
  };
  return new Map([[actionKey(REQUEST), { validate, handle }]]);
}

function validate({ object, target: { name }, parent }: ActionRequest): void {
  const errors = new FieldErrors();
  const { name: sent, uid } = object.metadata;
  if (sent && sent !== name) errors.invalid("metadata.name", sent, `expected "${name}" as the path says`);
  if (errors.any) throw invalid(REQUEST, name, errors.causes);
  const account = parent();
  if (uid && uid !== account.metadata.uid) {
    const ref = { ...REQUEST, plural: REQUEST.kind };
    throw conflict(
      ref,
      name,
      `expected metadata.uid to be that of the service account, ${account.metadata.uid}, got ${uid}`,
    );
  }
  const seconds = specOf(object).expirationSeconds ?? 0;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
    errors.invalid("spec.expirationSeconds", seconds, `expected ${MIN_SECONDS} to ${MAX_SECONDS} seconds`);
  }
  if (errors.any) throw invalid(REQUEST, "", errors.causes);
}

/** The lifetime within the limit of this server; a request for more gets a warning (AUTHN-24). */
function shortened(seconds: number, { maxSeconds = Infinity }: Issuance, warnings: string[]): number {
  if (seconds <= maxSeconds) return seconds;
  warnings.push(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`);
  return maxSeconds;
}

/** How long a token is valid: that of a Pod for this server for a year, with warnings after the requested time (AUTHN-29). */
function lifetime(
  seconds: number,
  audiences: readonly string[],
  { pod }: Bound,
  issuance: Issuance,
): Pick<TokenClaims, "seconds" | "warnAfterSeconds"> {
  const isOurs = audiences.every((one) => issuance.audiences.includes(one));
  const goesOn = issuance.extendsExpiration && pod !== undefined && seconds === POD_SECONDS && isOurs;
  return goesOn ? { seconds: YEAR_SECONDS, warnAfterSeconds: seconds } : { seconds };
}

/** The objects in a token in addition to its account. */
type Bound = Pick<TokenClaims, "pod" | "secret" | "node">;

/** Kinds that a token can be bound to. */
const BINDABLE: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

const named = ({ metadata: { name = "", uid = "" } }: ApiObject): Named => ({ name, uid });

/** The object that the token is bound to: it must exist and have the requested uid, and a Pod must run as the account (AUTHN-27). */
function bindTo(lookup: Lookup, account: ActionRequest["target"], { boundObjectRef: ref }: TokenSpec): Bound {
  if (!ref) return {};
  const { kind = "", apiVersion = "", name = "" } = ref;
  // Any version is permitted, or none: only the group counts.
  const plural = /^\/?[^/]*$/.test(apiVersion) ? BINDABLE[kind] : undefined;
  if (plural === undefined) {
    const kinds = Object.keys(BINDABLE).join(", ");
    throw badRequest(`expected boundObjectRef to be one of ${kinds} of v1, got "${kind}" of "${apiVersion}"`);
  }
  if (name === "" || pathSegment(name) !== undefined) {
    throw badRequest(`expected boundObjectRef.name to name a ${kind}, got ${JSON.stringify(name)}`);
  }
  const found = lookup.get(plural, plural === "nodes" ? "" : account.namespace, name);
  if (!found) throw notFound({ group: "", plural, kind }, name);
  if (plural === "pods" && asPod(found).spec.serviceAccountName !== account.name) {
    throw badRequest(`expected the Pod "${name}" to run as the service account "${account.name}", it does not`);
  }
  const { uid } = found.metadata;
  if (ref.uid && ref.uid !== uid) {
    const why = `expected boundObjectRef.uid to be that of the object, ${uid}, got ${ref.uid}`;
    throw conflict({ group: "", plural: kind, kind }, name, why);
  }
  if (plural === "pods") return { pod: named(found), ...nodeOf(lookup, found) };
  return plural === "secrets" ? { secret: named(found) } : { node: named(found) };
}

/** The node that a Pod runs on; without a uid where the Node does not exist (AUTHN-28). */
function nodeOf(lookup: Lookup, pod: ApiObject): Pick<Bound, "node"> {
  const { nodeName } = asPod(pod).spec;
  if (!nodeName) return {};
  const uid = lookup.get("nodes", "", nodeName)?.metadata.uid;
  return { node: { name: nodeName, ...(uid === undefined ? {} : { uid }) } };
}
