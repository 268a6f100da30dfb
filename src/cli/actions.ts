/**
 * What commands are given: everything that they start, read and print with.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import type { Clock } from "../util/clock.ts";
import type { Duration } from "../util/duration.ts";

/** A flag of `serve`, as help and completion show it. */
export interface FlagSpec {
  readonly key: string;
  /** A second name of the same flag. */
  readonly also: string | undefined;
  /** The heading that it stands under. */
  readonly group: string;
  /** What the value looks like; empty for switches. */
  readonly value: string;
  /** What holds when it is not given; empty when there is nothing to say. */
  readonly default: string;
  readonly about: string;
  /** The environment variable that says the same. */
  readonly env: string;
  /** The words that a value is made of, where they are known; those with something to say of them are listed. */
  readonly words: readonly { readonly word: string; readonly about: string | undefined }[];
}

/** Starts a server with the flags that were given (by key, as text) and an optional file; resolves when it has ended. */
export type Serve = (flags: Readonly<Record<string, string>>, file: string | undefined) => Promise<void>;

/** A command that is run against a cluster of its own. */
export interface RunRequest {
  readonly command: readonly [string, ...string[]];
  /** Files and folders with objects that are there when the command starts. */
  readonly fixtures: readonly string[];
  readonly dialect: "kubernetes" | "neutral";
  /** Whether the command may mark, reset and disturb the cluster over HTTP. */
  readonly control: boolean;
  /** Whether the cluster stays when the command has ended. */
  readonly keep: boolean;
}

/** Runs a command against a throw-away cluster; resolves to the code that the program ends with. */
export type Run = (request: RunRequest) => Promise<number>;

/** A storage driver that is to be run. */
export interface DriverRequest {
  /** Where it listens: `unix:///path`. */
  readonly socket: string;
  readonly dir: string;
  readonly name?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly topology: Readonly<Record<string, string>>;
  readonly central: boolean;
  readonly backing: "directory" | "image";
  readonly maxVolumes?: number | undefined;
  /** In bytes, as {@link maxVolumeSize}. */
  readonly capacity?: bigint | undefined;
  readonly maxVolumeSize?: bigint | undefined;
  /** Names of features beside those of the default, and of those left out. */
  readonly with: readonly string[];
  readonly without: readonly string[];
  /** Whether volumes are linked in place of being mounted. */
  readonly links: boolean;
  /** The directory that the agent of the node watches. */
  readonly register?: string | undefined;
}

/** What is known of a data directory. */
export interface DirectoryInfo {
  readonly path: string;
  readonly version: string;
  readonly dialect: string | undefined;
  readonly format: number | undefined;
  readonly kubeconfig: string | undefined;
  readonly running:
    | { readonly pid: number; readonly version: string; readonly addresses: readonly string[] }
    | undefined;
  /** Bytes of the store's files together. */
  readonly storeBytes: number;
}

/** Looks at a data directory; the default one without a name. */
export type InfoSource = (dataDir: string | undefined) => Promise<DirectoryInfo>;

/** The text of the kubeconfig in a data directory; rejects when there is none. */
export type KubeconfigSource = (dataDir: string | undefined) => Promise<string>;

/** Records of one resource that are encrypted alike. */
export interface EncryptedRecords {
  readonly resource: string;
  /** Provider and key, as the stored values name them: `k8s:enc:aesgcm:v1:key1:`. */
  readonly stored: string;
  readonly records: number;
}

/** A record that cannot be decrypted. */
export interface UnreadRecord {
  readonly key: string;
  readonly revision: number;
  readonly why: string;
}

/** What of a store is encrypted. */
export interface StoreCensus {
  readonly encrypted: readonly EncryptedRecords[];
  /** What the configuration that was named cannot decrypt. */
  readonly unread: readonly UnreadRecord[];
}

/** What a check of a store has found; see `storage/sqlite/check.ts`. */
export interface StoreCheck {
  readonly directory: string;
  readonly format: number | undefined;
  readonly revision: number | undefined;
  readonly compactedRevision: number | undefined;
  readonly records: number;
  readonly history: number;
  readonly bytes: number;
  /** Why the database's own check could not be made; undefined when it was. */
  readonly structureUnchecked: string | undefined;
  readonly encrypted: readonly EncryptedRecords[];
  readonly findings: readonly {
    readonly what: string;
    readonly message: string;
    readonly key?: string;
    readonly revision?: number;
  }[];
}

/** What a repair of a store has salvaged; see `storage/sqlite/repair.ts`. */
export interface StoreRepair extends StoreCensus {
  readonly revision: number;
  readonly records: number;
  readonly lost: readonly { readonly key: string; readonly revision: number; readonly older: number | undefined }[];
  readonly warnings: readonly string[];
}

/** What a restore has made. */
export interface StoreRestore extends StoreCensus {
  /** The revision of the backup, and the one at which the restored store goes on. */
  readonly backupRevision: number;
  readonly revision: number;
  readonly records: number;
  /** When the backup was made, RFC 3339. */
  readonly time: string;
}

/**
 * Work on the files of a store that no server has open. A directory is a data directory, or that of its store. None of it needs
 * keys; with a file that names them (`--encryption-provider-config`) it is also told what cannot be decrypted.
 */
export interface StoreFiles {
  check(directory: string, keys?: string): Promise<StoreCheck>;
  /** Salvages into a new data directory, with the identity of the old one. */
  repair(from: string, to: string, keys?: string): Promise<StoreRepair>;
  /** Makes a new data directory of a backup; `-` reads it from standard input. */
  restore(file: string, to: string, keys?: string): Promise<StoreRestore>;
  /** Writes the backup that comes in pieces to a file, `-` for standard output, and checks it on the way. */
  saveBackup(pieces: AsyncIterable<Uint8Array>, file: string): Promise<SavedBackup>;
}

/** A backup that was written and is whole. */
export interface SavedBackup {
  readonly revision: number;
  readonly records: number;
  readonly bytes: number;
}

/** The certificates of a data directory. */
export type CertificateName = "ca" | "server" | "admin";

/** What can be made anew: a certificate, or the key that signs tokens of service accounts. */
export type Renewable = CertificateName | "token";

/** What is in a certificate; times as RFC 3339. */
export interface CertificateInfo {
  readonly name: string;
  /** Within the data directory. */
  readonly file: string;
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly hosts: readonly string[];
  readonly begins: string;
  readonly ends: string;
  /** From when on a server makes it anew. */
  readonly renewedFrom: string;
}

/** Work on the certificates of a data directory; of the default one where none is named. */
export interface Certificates {
  /** What the files hold; those that are not there are left out. Rejects when there are none. */
  show(dataDir: string | undefined): Promise<readonly CertificateInfo[]>;
  /** Makes certificates anew, and writes them; `sans` are names that the serving one gets beside those that it has. */
  renew(dataDir: string | undefined, names: readonly Renewable[], sans: readonly string[]): Promise<void>;
}

/** A user to make a credential for. */
export interface NewUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly kind: "token" | "certificate";
  readonly days: number;
  /** Where the server is reached; as it says itself where it is not named. */
  readonly server?: string;
}

/** A credential of a user; times as RFC 3339. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly kind: "token" | "certificate";
  readonly made: string;
  readonly ends: string;
  /** When it was taken back. */
  readonly revoked?: string;
}

/** Work on the users of a data directory; of the default one where none is named. */
export interface Users {
  /** Makes a credential, and answers a kubeconfig with it. */
  add(dataDir: string | undefined, user: NewUser): Promise<string>;
  list(dataDir: string | undefined): Promise<readonly UserInfo[]>;
  /** Takes all credentials of a user back; answers how many there were. */
  revoke(dataDir: string | undefined, name: string): Promise<number>;
  /** Writes a file that only its owner may read. */
  write(file: string, text: string): Promise<void>;
}

/** What a server says to a definition. */
export interface DefinitionResult {
  /** The definition as it would be kept; undefined when it is refused. */
  readonly definition?: unknown;
  /** Why it is refused, with the fields that are wrong. */
  readonly error?: string;
}

/** Judges CustomResourceDefinitions as a server does that is asked to make them; resolves to a verdict on each. */
export type ValidateDefinitions = (definitions: readonly object[]) => Promise<readonly DefinitionResult[]>;

/** A directory with the programs that envtest starts. */
export interface EnvtestDirectory {
  /** An absolute path. */
  readonly path: string;
  /** The kubectl that is linked there, or lies there; undefined where none was found. */
  readonly kubectl: string | undefined;
}

/** The sidecars of a driver that are to run; settings are those of `sidecars/sidecar.ts`. */
export interface CsiRequest {
  readonly client: Client;
  /** Where Leases and capacity objects are. */
  readonly namespace: string;
  /** The socket of the driver. */
  readonly driver: string;
  /** The parts to run; all that the driver can do by default. */
  readonly only: readonly string[] | undefined;
  /** Where the agent of the node keeps its files; the driver is registered there. */
  readonly agentDir: string | undefined;
  /** The node whose disks the driver has; all nodes' without it. */
  readonly node: string | undefined;
  readonly leaderElection: boolean;
  /** Whether every call of the driver is logged. */
  readonly verbose: boolean;
  readonly settings: {
    readonly timeout: Duration;
    readonly retry: { readonly first: Duration; readonly most: Duration };
    readonly workers: number;
    readonly defaultFsType?: string;
    readonly extraCreateMetadata: boolean;
    readonly extraModifyMetadata: boolean;
    readonly strictTopology: boolean;
    readonly immediateTopology: boolean;
    readonly controllerPublishReadOnly: boolean;
    readonly volumeNamePrefix: string;
    readonly snapshotNamePrefix: string;
    readonly capacity:
      | { readonly namespace: string; readonly pollInterval: Duration; readonly forImmediateBinding: boolean }
      | undefined;
  };
}

/** Runs the sidecars of a driver until the process is told to stop; rejects where they cannot go on. */
export type RunCsi = (request: CsiRequest) => Promise<void>;

/** Where the program runs. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input. */
  readonly input: NodeJS.ReadableStream & AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };
  /** Whether standard output and standard error are terminals. */
  readonly isTerminal: boolean;
  /** How many places a line of standard output has; undefined where it is no terminal, and lines may be of any length. */
  readonly columns: number | undefined;
  /** Prints a text, as it is, on standard error. */
  readonly tell: (text: string) => void;
}

/** With which codes the process ends; a command may change them. */
export interface ExitCodes {
  /** When the command has ended in order: 0 unless changed. */
  done: number;
  /** When it has failed: 1 unless changed. A command line that cannot be right is always 2. */
  failed: number;
}

/** A node, as a command line says it. */
export interface NodeRequest {
  readonly name: string;
  readonly directory: string;
  readonly pods: string;
  readonly dialect: string;
  /** By resource, as quantities. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** In which images lie as directories; undefined where image volumes fail. */
  readonly imageDirectory: string | undefined;
  /** `HOST:PORT`, where metrics are read; undefined for nowhere. */
  readonly metrics: string | undefined;
  readonly logLevel: string;
  readonly logFormat: string;
}

/** Runs the agent of a node until the process is told to stop. */
export type RunNode = (
  request: NodeRequest,
  connection: { readonly client: Client; readonly server: string },
) => Promise<void>;

/** What the commands work with. */
export interface Actions {
  readonly version: string;
  /** The flags of `serve`, one for each option of a server. */
  readonly flags: readonly FlagSpec[];
  readonly serve: Serve;
  readonly run: Run;
  /** Runs a storage driver until the process is told to stop. */
  readonly driver: (request: DriverRequest) => Promise<void>;
  /** What a driver can do or not, with whether it does by default. */
  readonly driverFeatures: Readonly<Record<string, boolean>>;
  readonly node: RunNode;
  readonly csi: RunCsi;
  readonly info: InfoSource;
  readonly kubeconfig: KubeconfigSource;
  /** Makes a directory for envtest, or makes it anew. */
  readonly envtest: (directory: string) => Promise<EnvtestDirectory>;
  readonly files: StoreFiles;
  readonly certificates: Certificates;
  readonly users: Users;
  readonly validateDefinitions: ValidateDefinitions;
  /** Where commands print. */
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
  readonly exit: ExitCodes;
  readonly clock: Clock;
}
