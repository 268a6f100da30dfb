/** A manifest as JSON, which kubectl takes for YAML too. */
export const manifest = (value: object): string => `${JSON.stringify(value)}\n`;

/** The manifest of a ConfigMap. */
export const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  labels: Readonly<Record<string, string>> = {},
): string => manifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data });

/** The ConfigMap of most stories. */
export const CONFIG_MAP: string = configMap("web", { colour: "red", size: "3" }, { app: "web" });

/** A ConfigMap with a member that the kind does not have. */
export const withUnknown = (name: string): string =>
  manifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, colour: "blue" });

/** The manifest of a claim. */
export const claim = (name: string, labels: Readonly<Record<string, string>> = {}): string =>
  manifest({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, labels },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });

/** The manifest of the story's own StorageClass: objects of the cluster have the story's name. */
export const storageClass = (labels: Readonly<Record<string, string>> = {}): string =>
  manifest({
    apiVersion: "storage.{domain}/v1",
    kind: "StorageClass",
    metadata: { name: "{ns}", labels },
    provisioner: "example.com/p",
  });
