/**
 * The `volume_context` and the `secrets` of calls.
 *
 * @module
 */
import { type CSIDriver, Secret } from "../../client/kinds/index.ts";
import { VolumeError } from "../contract.ts";
import type { SetUp } from "./parts.ts";
import type { CsiVolume } from "./volume.ts";

type Texts = Readonly<Record<string, string>>;

/** The volume context and the secrets of a publication. */
export interface PublishInputs {
  readonly volumeContext: Record<string, string>;
  readonly secrets: Record<string, string>;
}

/** The inputs of NodePublishVolume (NODE-21, NODE-30, NODE-31, NODE-36). */
export async function publishInputs(
  setUp: SetUp,
  volume: CsiVolume,
  object: CSIDriver | undefined,
): Promise<PublishInputs> {
  const { names } = setUp;
  const secrets = await secretsOf(setUp, volume, "publish");
  const tokens = await tokensOf(setUp, object);
  const inSecrets = object?.spec.serviceAccountTokenInSecrets === true;
  const entry = tokens === undefined ? {} : { [names.tokens]: tokens };
  return {
    volumeContext: { ...volume.attributes, ...podInfo(setUp, volume, object), ...(inSecrets ? {} : entry) },
    secrets: { ...secrets, ...(inSecrets ? entry : {}) },
  };
}

/** Information about the Pod, for a driver that wants it (CSID-37, CSID-38). */
function podInfo({ names, needed }: SetUp, { lifecycle }: CsiVolume, object: CSIDriver | undefined): Texts {
  if (object?.spec.podInfoOnMount !== true) return {};
  const { metadata, spec } = needed.pod;
  return {
    [names.podName]: metadata.name,
    [names.podNamespace]: metadata.namespace ?? "",
    [names.podUid]: metadata.uid ?? "",
    [names.account]: spec.serviceAccountName ?? "",
    [names.ephemeral]: String(lifecycle === "Ephemeral"),
  };
}

/** The tokens that a driver requests, by audience (NODE-35, CSID-28, CSID-40); undefined where it requests none. */
async function tokensOf({ tokens, needed }: SetUp, object: CSIDriver | undefined): Promise<string | undefined> {
  const { tokenRequests = [] } = object?.spec ?? {};
  if (tokenRequests.length === 0) return undefined;
  const made = await Promise.all(
    tokenRequests.map(async ({ audience, expirationSeconds }) => {
      const wish = { audience: audience || undefined, expirationSeconds };
      const { token, expirationTimestamp } = await tokens.get(needed.pod, wish);
      return [audience, { token, expirationTimestamp }] as const;
    }),
  );
  return JSON.stringify(Object.fromEntries(made));
}

/**
 * The secrets of a call (NODE-25, PVS-14); none where the volume names no Secret. @throws VolumeError where it does not
 * exist
 */
export async function secretsOf(
  { context, signal }: Pick<SetUp, "context" | "signal">,
  { secrets }: CsiVolume,
  call: keyof CsiVolume["secrets"],
): Promise<Record<string, string>> {
  const key = secrets[call];
  if (!key) return {};
  const found = await context.client.resource(Secret).find(key, { signal });
  if (!found) throw new VolumeError(`secret ${key.namespace}/${key.name} of the volume not found`);
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
  );
}
