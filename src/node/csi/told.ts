/**
 * What a driver is told of the Pod beside its volume, and which secrets: `volume_context` and `secrets`.
 *
 * @module
 */
import { type CSIDriver, Secret } from "../../client/kinds/index.ts";
import { VolumeError } from "../contract.ts";
import type { SetUp } from "./parts.ts";
import type { CsiVolume } from "./volume.ts";

type Texts = Readonly<Record<string, string>>;

/** What publishing a volume says beside its place. */
export interface Told {
  readonly volumeContext: Record<string, string>;
  readonly secrets: Record<string, string>;
}

/** What a driver is told when it publishes (NODE-21, NODE-30, NODE-31, NODE-36). */
export async function toldOnPublish(setUp: SetUp, volume: CsiVolume, object: CSIDriver | undefined): Promise<Told> {
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

/** Who the Pod is, for a driver that wants to know (CSID-37, CSID-38). */
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

/** The tokens that a driver asks for, by audience (NODE-35, CSID-28, CSID-40); undefined where it asks for none. */
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
 * The secrets of a call (NODE-25, PVS-14); none where the volume names no Secret.
 *
 * @throws VolumeError where the Secret is not there
 */
export async function secretsOf(
  { ground, signal }: Pick<SetUp, "ground" | "signal">,
  { secrets }: CsiVolume,
  call: keyof CsiVolume["secrets"],
): Promise<Record<string, string>> {
  const key = secrets[call];
  if (!key) return {};
  const found = await ground.client.resource(Secret).find(key, { signal });
  if (!found) throw new VolumeError(`the Secret ${key.namespace}/${key.name} that the volume names was not found`);
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
  );
}
