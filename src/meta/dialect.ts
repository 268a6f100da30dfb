/**
 * The two dialects: one code base, two sets of names and a short list of switches.
 *
 * Only this file and the resource definitions read the name of the dialect; all other code reads a switch. A switch exists
 * where a document and Kubernetes differ; its docstring names the rule.
 *
 * @module
 */

/** Members of volume sources with the name of a vendor (CONV-12): neutral name to name in the kubernetes dialect. */
export const VENDOR_MEMBERS = {
  cloudAElasticBlockStore: "awsElasticBlockStore",
  cloudBDisk: "azureDisk",
  cloudBFile: "azureFile",
  cloudCPersistentDisk: "photonPersistentDisk",
  distFsA: "cephfs",
  distFsB: "glusterfs",
  distFsC: "quobyte",
  blockVolA: "cinder",
  datasetVolA: "flocker",
  vendorDVolume: "portworxVolume",
  vendorEVolume: "scaleIO",
  vendorFVolume: "storageos",
  vendorGVolume: "vsphereVolume",
} as const;

/** The neutral name of a vendor member. */
export type VendorMember = keyof typeof VENDOR_MEMBERS;

/** A former in-tree volume plugin, and the driver that replaces it. */
export interface MigratedPlugin {
  /** Its name as a provisioner, without the domain. */
  readonly plugin: string;
  /** The member of a volume's spec that is its source. */
  readonly member: string;
  readonly driver: string;
}

/** What differs between the dialects. */
export interface Dialect {
  readonly name: "neutral" | "kubernetes";
  /** Domain of the API groups: `storage.svc.io` or `storage.k8s.io` (CONV-10). */
  readonly domain: string;
  /** Domain of labels, annotations, finalizers and secret types: `svc.io/tls` or `kubernetes.io/tls`. */
  readonly labelDomain: string;
  /** The JSON name of a vendor member (CONV-12). */
  vendor(member: VendorMember): string;
  /** Empty in the neutral dialect. */
  readonly migratedPlugins: readonly MigratedPlugin[];
  readonly rules: DialectRules;
}

/** The switches. `strict` ones follow Kubernetes where the documents do not require it (POL-3, POL-4). */
export interface DialectRules {
  /** Fields that only Kubernetes requires are required: provisioner, driverName, accessModes, capacity ... (POL-3). */
  readonly requireUndocumented: boolean;
  /** Restrictions that only Kubernetes has are enforced: extra immutability, cross-field rules ... (POL-4, DEC-39). */
  readonly enforceUndocumented: boolean;
  /**
   * What the documents require and Kubernetes does not validate is enforced: CSINode `spec.drivers` must be set (CSIN-9),
   * `maximumVolumeSize` may not be negative (DEC-39) ...
   */
  readonly enforceDocumented: boolean;
  /** Causes name a field as Kubernetes misspells or shortens it (`spec.attachedRequired`); else by its own path. */
  readonly recordedCauseNames: boolean;
  /** Members that typed clients always print are printed as null when unset (DEC-45); else left out. */
  readonly printUnsetAsNull: boolean;
  /** A bookmark has the members that its kind always prints, as typed clients write it; else its version only (DEC-28). */
  readonly fullBookmarks: boolean;
  /** The steps of admission that kube-apiserver runs by default run by default, those that the documents do not require too. */
  readonly defaultAdmission: boolean;
  /** A create in a namespace that does not exist creates the namespace; else it gets 404 (POL-5). */
  readonly autoProvisionNamespaces: boolean;
  /** The namespaces that the server creates at its start, and those that cannot be deleted. */
  readonly systemNamespaces: readonly string[];
  readonly protectedNamespaces: readonly string[];
  /** The server creates the priority classes of the system at its start (KIND-PriorityClass-3). */
  readonly systemPriorities: boolean;
  /** The server has a Service, and serves its networks for addresses as ServiceCIDRs (KIND-Service-20). */
  readonly ownService: boolean;
  /** Each namespace gets a ServiceAccount `default` and a ConfigMap `kube-root-ca.crt`. */
  readonly namespaceObjects: boolean;
  /** Whether namespaces have delete-collection. */
  readonly namespaceDeleteCollection: boolean;
  /** Kinds that require a resourceVersion in PUT refuse one without (DEC-31). */
  readonly demandResourceVersion: boolean;
  /** List items of built-in kinds have apiVersion and kind (DEC-4, META-1). */
  readonly itemsCarryKind: boolean;
  /** A delete responds with a Status for the kinds of EP-30..33, EP-40, EP-44 even while finalizers are pending (AMB-41). */
  readonly pendingDeleteReturnsStatus: boolean;
  /** Delete-collection responds with a Status instead of the list of deleted objects (EP-21, AMB-48). */
  readonly deleteCollectionReturnsStatus: boolean;
  /** Foreground deletion that waits gets 202, not only `orphanDependents=false` (DEC-18, DEC-26). */
  readonly foregroundDeleteReturnsAccepted: boolean;
  /** An empty `managedFields` list clears it (CLR-5, AMB-45: not in the documents). */
  readonly emptyListClearsManagedFields: boolean;
  /** PUT, merge and strategic patches may edit managedFields; else only a JSON patch may (MF-11). */
  readonly managedFieldsEditable: boolean;
  /** Objects whose managedFields were cleared record owners from the next write on (DEC-14, AMB-37). */
  readonly recordAfterClear: boolean;
  /** Entries of managedFields with `fields` in place of `fieldsV1` are read (MF-10); else they own nothing. */
  readonly readOldManagedFields: boolean;
  /** A new object with an entry without a key in a keyed list has no owners; else only that entry has none. */
  readonly keylessClearsOwners: boolean;
  /** An apply that changes only ownership writes an entry without a time (DEC-14). */
  readonly timelessOwnership: boolean;
  /** Apply compares quantities by value (DEC-9, OWN-6); else by the text that was sent. */
  readonly compareQuantitiesByValue: boolean;
  /** A merge patch drops nulls from objects in its lists; RFC 7386 keeps them. */
  readonly mergePatchPrunesLists: boolean;
  /** A null in an apply body is as if the member were absent (DEC-22). */
  readonly applyNullIsAbsent: boolean;
  /** In apply, stringData is folded into data before ownership is recorded (DEC-13). */
  readonly applyFoldsStringData: boolean;
  /** A dropped gated field causes a Warning with the field and the gate. */
  readonly warnDroppedFields: boolean;
  /** If-Match is a precondition (AMB-36); else it is ignored. */
  readonly ifMatch: boolean;
  /** Invalid UTF-8 in JSON is refused (CM-4); else each bad byte becomes U+FFFD. */
  readonly refuseInvalidUtf8: boolean;
  /** MicroTime accepts any number of fraction digits (DEC-5); else exactly six. */
  readonly lenientMicroTime: boolean;
  /** A finalizer without `/` must be one that Kubernetes knows (DEC-1). */
  readonly strictFinalizers: boolean;
  /** The name by which the server owns the fields that it writes itself. */
  readonly serverManager: string;
  /**
   * Requests without a credential have the user `system:anonymous`, whose permissions come from roles (AUTHN-11, AUTHN-12);
   * else they get 401 everywhere but on health and version paths (AUTH-1, DEC-35).
   */
  readonly anonymousByRoles: boolean;
  /** `generation` sent in a create is kept (DEC-1). */
  readonly keepSentGeneration: boolean;
  /** A non-numeric resourceVersion in a create, and any in a dry run, is ignored (DEC-1). */
  readonly lenientCreateVersion: boolean;
  /** An apply that creates must name the object in its body (DEC-22); else the path is enough. */
  readonly applyCreateNeedsName: boolean;
  /** An object that PUT or apply creates keeps the deletion times that were sent for it; a POST never does. */
  readonly updateCreatesAsSent: boolean;
  /** The protection finalizers of claims, volumes and attributes classes are added on create (DEC-57). */
  readonly storageProtection: boolean;
  /** Field selectors of LeaseCandidate support `spec.leaseName` (DEC-25). */
  readonly leaseNameSelectable: boolean;
  /** An unknown API group gets plain text instead of a Status (DEC-18, CONV-1). */
  readonly unknownGroupPlainText: boolean;
  /** The index of OpenAPI v3, which is JSON, has the content type of plain text, as in the reference. */
  readonly openApiIndexIsPlain: boolean;
}

/** The dialect of the three documents: the default. */
export const neutral: Dialect = {
  name: "neutral",
  domain: "svc.io",
  labelDomain: "svc.io",
  vendor: (member) => member,
  migratedPlugins: [],
  rules: {
    requireUndocumented: false,
    enforceUndocumented: false,
    enforceDocumented: true,
    recordedCauseNames: false,
    printUnsetAsNull: false,
    fullBookmarks: false,
    defaultAdmission: false,
    autoProvisionNamespaces: true,
    systemNamespaces: ["default"],
    protectedNamespaces: [],
    systemPriorities: false,
    ownService: false,
    namespaceObjects: false,
    namespaceDeleteCollection: true,
    demandResourceVersion: false,
    itemsCarryKind: true,
    pendingDeleteReturnsStatus: true,
    deleteCollectionReturnsStatus: true,
    foregroundDeleteReturnsAccepted: true,
    emptyListClearsManagedFields: false,
    managedFieldsEditable: false,
    recordAfterClear: true,
    readOldManagedFields: true,
    keylessClearsOwners: false,
    timelessOwnership: false,
    compareQuantitiesByValue: true,
    mergePatchPrunesLists: false,
    applyNullIsAbsent: true,
    applyFoldsStringData: true,
    warnDroppedFields: true,
    ifMatch: true,
    refuseInvalidUtf8: true,
    lenientMicroTime: true,
    strictFinalizers: false,
    serverManager: "keelson",
    anonymousByRoles: false,
    keepSentGeneration: false,
    lenientCreateVersion: false,
    applyCreateNeedsName: false,
    updateCreatesAsSent: false,
    storageProtection: false,
    leaseNameSelectable: true,
    unknownGroupPlainText: false,
    openApiIndexIsPlain: false,
  },
};

/** The dialect of Kubernetes 1.35, for unmodified clients of its groups. */
export const kubernetes: Dialect = {
  name: "kubernetes",
  domain: "k8s.io",
  labelDomain: "kubernetes.io",
  vendor: (member) => VENDOR_MEMBERS[member],
  migratedPlugins: [
    { plugin: "aws-ebs", member: "awsElasticBlockStore", driver: "ebs.csi.aws.com" },
    { plugin: "azure-disk", member: "azureDisk", driver: "disk.csi.azure.com" },
    { plugin: "azure-file", member: "azureFile", driver: "file.csi.azure.com" },
    { plugin: "cinder", member: "cinder", driver: "cinder.csi.openstack.org" },
    { plugin: "gce-pd", member: "gcePersistentDisk", driver: "pd.csi.storage.gke.io" },
    { plugin: "portworx-volume", member: "portworxVolume", driver: "pxd.portworx.com" },
    { plugin: "vsphere-volume", member: "vsphereVolume", driver: "csi.vsphere.vmware.com" },
  ],
  rules: {
    requireUndocumented: true,
    enforceUndocumented: true,
    enforceDocumented: false,
    recordedCauseNames: true,
    printUnsetAsNull: true,
    fullBookmarks: true,
    defaultAdmission: true,
    autoProvisionNamespaces: false,
    systemNamespaces: ["default", "kube-system", "kube-public", "kube-node-lease"],
    protectedNamespaces: ["default", "kube-system", "kube-public"],
    systemPriorities: true,
    ownService: true,
    namespaceObjects: true,
    namespaceDeleteCollection: false,
    demandResourceVersion: true,
    itemsCarryKind: false,
    pendingDeleteReturnsStatus: false,
    deleteCollectionReturnsStatus: false,
    foregroundDeleteReturnsAccepted: false,
    emptyListClearsManagedFields: true,
    managedFieldsEditable: true,
    recordAfterClear: false,
    readOldManagedFields: false,
    keylessClearsOwners: true,
    timelessOwnership: true,
    compareQuantitiesByValue: false,
    mergePatchPrunesLists: true,
    applyNullIsAbsent: false,
    applyFoldsStringData: false,
    warnDroppedFields: false,
    ifMatch: false,
    refuseInvalidUtf8: false,
    lenientMicroTime: false,
    strictFinalizers: true,
    serverManager: "kube-apiserver",
    anonymousByRoles: true,
    keepSentGeneration: true,
    lenientCreateVersion: true,
    applyCreateNeedsName: true,
    updateCreatesAsSent: true,
    storageProtection: true,
    leaseNameSelectable: false,
    unknownGroupPlainText: true,
    openApiIndexIsPlain: true,
  },
};

/** The dialect of a name; undefined for other names. */
export const dialectOf = (name: string): Dialect | undefined =>
  name === "neutral" ? neutral : name === "kubernetes" ? kubernetes : undefined;

/** The groups of the documents, which have the domain of the dialect (CONV-10). All others have the same name in both. */
const NAMED_GROUPS: readonly string[] = ["coordination", "events", "storage", "storagemigration"];

/**
 * The end of a message about a group that is not served: the dialect that serves it, and how to get it. Empty for groups
 * of neither dialect.
 */
export function otherDialectHint(group: string, current: Dialect): string {
  const other = current === neutral ? kubernetes : neutral;
  if (!NAMED_GROUPS.some((name) => group === `${name}.${other.domain}`)) return "";
  return `; ${group} is a group of the ${other.name} dialect, and this server speaks the ${current.name} one: start it on a new data directory with --dialect ${other.name}`;
}
