/** Who can act on an error of the agent of a node about a volume, by the source of the volume. */
import type { Pod } from "../client/kinds/index.ts";
import { textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Returns who can act; the message names the volume as `volume "NAME"`. */
export function whoCanRepairOnNode(message: string, node: string, pod: Pod): string {
  const volume = pod.spec.volumes?.find(({ name }) => message.includes(`volume ${JSON.stringify(name)}`));
  const own = volume && whoCanRepairVolume(volume, node, pod);
  const otherwise = own ?? `whoever changes ${textOf(pod)}, or mends that on the node ${node}`;
  const driver = volume?.csi?.driver ?? `the driver on the node ${node}`;
  return whoCanRepair(message, { asks: textOf(pod), driver, otherwise });
}

function whoCanRepairVolume(volume: Volume, node: string, { metadata: { namespace = "" } }: Pod): string | undefined {
  const { hostPath, image, configMap, secret, persistentVolumeClaim: claim, nfs, csi } = volume;
  if (hostPath) {
    const what = hostPath.type || "path";
    return `whoever provides the ${what} ${hostPath.path} on the node ${node}, or changes the type of the hostPath`;
  }
  if (image) return `whoever provides the image ${image.reference ?? ""} on the node ${node}, or an agent that can`;
  if (configMap) return `whoever changes the ConfigMap ${namespace}/${configMap.name ?? ""}`;
  if (secret) return `whoever changes the Secret ${namespace}/${secret.secretName ?? ""}`;
  if (claim)
    return `whoever changes the claim ${namespace}/${claim.claimName} or its volume, or mends that on the node ${node}`;
  if (nfs) return `whoever runs the server ${nfs.server}`;
  return csi && `whoever runs the driver ${csi.driver} on the node ${node}`;
}
