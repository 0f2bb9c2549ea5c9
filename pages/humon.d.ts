type Replacing<T, U extends { [Name in keyof U]: Name extends keyof T ? unknown : never }> =
  Omit<T, keyof U> & U;

/** A window of time in words, a month such as 2036-06, or a date such as 2036-06-01. */
export type When =
  | 'now' | 'upcoming' | 'today' | 'tomorrow' | 'weekend' | 'week' | 'next-week' | 'month'
  | 'next-month' | `${number}-${number}` | `${number}-${number}-${number}`;

/** A text with commas, or what is between them. */
export type List = string | readonly (string | number)[];

interface Lists {
  category?: List;
  /** A list for events with one of these tags, or lists for events with one tag of each. */
  tag?: List | readonly List[];
  status?: List;
}

interface Places {
  /** The latitude and the longitude of the point to measure from. */
  near?: readonly [lat: number, lon: number];
}

type Polygon = List | readonly (readonly [lon: number, lat: number])[];

interface Windows {
  when?: When;
  /** A time, or now. */
  from?: Date | string;
  /** A time, or now. */
  to?: Date | string;
}

/** What to find. */
export type EventQuery = Places & Replacing<EventParameters, Lists & Windows & {
  bbox?: List;
  within?: Polygon;
  owner?: 'me' | number;
  fields?: List;
}>;

/** What to count. */
export type ClusterQuery = Places & Replacing<ClusterParameters, Lists & Windows & {
  bbox: List;
  within?: Polygon;
  owner?: 'me' | number;
}>;

/** What to follow. */
export type ChangeQuery = Places & Replacing<ChangeParameters, Lists & Omit<Windows, 'when'> & {
  bbox?: List;
  within?: Polygon;
  mine?: 1 | '1';
}>;

/** A message of a stream. Those without an event contain only a cursor. */
export type StreamMessage =
  | { event: 'change'; cursor: string; data: Change }
  | { event: 'reset' | 'ready'; cursor: string; data: { cursor: string } }
  | { event: 'end'; cursor?: undefined; data: { message: string } }
  | { event?: undefined; cursor: string; data: null };

interface Values {
  ended_at?: Date | string | null;
  status?: 'scheduled' | 'cancelled' | 'postponed' | null;
  visibility?: 'public' | 'private' | null;
}

/** The attributes of a new event. */
export type EventDraft = Replacing<CompleteEvent, Values & { started_at: Date | string }>;

/** The attributes to change. Null removes one. */
export type EventChanges = Replacing<PartOfEvent, Values & { started_at?: Date | string }>;

export type ErrorKind =
  | 'badRequest' | 'unauthorized' | 'forbidden' | 'notFound' | 'gone' | 'preconditionFailed'
  | 'tooLarge' | 'validationFailed' | 'conflict' | 'timeout' | 'rateLimited' | 'unavailable'
  | 'server' | 'redirected' | 'decoding' | 'network' | 'cancelled' | 'tokenStore' | 'insecureURL'
  | 'noToken' | 'noAppSecret' | 'wouldLoseUser';

/** What went wrong. */
export class HumonError extends Error {
  readonly kind: ErrorKind;
  /** For kind validationFailed: a sentence for each invalid value. */
  readonly errors: string[];
  readonly status?: number;
  /** The id of the request, which is in the server's log. */
  readonly requestID?: string;
  /** The number of seconds to wait before the next attempt. */
  readonly retryAfter?: number;
  /** For kind preconditionFailed: the version that the record has now. */
  readonly version?: string;
  /** For kind conflict of signIn: the records of this device. */
  readonly device?: DeviceRecords;
  /** For kind conflict of signIn: the person's user. */
  readonly user?: { id: number };
  /** The error of fetch or of the token store. */
  readonly cause?: unknown;
}

/** Stores one text. If a function fails, the call fails with kind tokenStore. */
export interface TokenStore {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(text: string): unknown;
  remove(): unknown;
}

export interface HumonOptions {
  /** Needed for signUp. Never put it into a web page. */
  appSecret?: string;
  /** The default is localStorage where it exists, otherwise memory. */
  tokens?: TokenStore;
  fetch?: typeof fetch;
  /** The limit for all attempts of a call, in ms. The default is 30000. */
  timeout?: number;
  /** Allows http to other machines. */
  allowsPlainHTTP?: boolean;
  /** Returns the value of the header traceparent, if there is one. */
  traceparent?: () => string | null | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** Fails with kind preconditionFailed if the event doesn't have this version any more. */
  ifMatch?: string;
}

export interface IdentityValues {
  idToken: string;
  /** The text whose SHA-256 the issuer has got. */
  nonce?: string;
  deviceName?: string;
}

export interface SignInValues extends IdentityValues {
  /** Whether the records of this device move to the person's user. */
  merge?: boolean;
}

/** The events of all pages, each once. */
export interface EventSearch extends AsyncIterable<Event> {
  readonly pages: AsyncIterable<EventPage>;
}

/** A server, and the user of this device. */
export class Humon {
  static readonly operations: readonly { name: string; method: string; path: string }[];

  /** Throws kind insecureURL unless the URL is https or of this machine. */
  constructor(url: string, options?: HumonOptions);

  /** Creates the user of this device with the app secret, or returns it. */
  signUp(options?: CallOptions): Promise<Identified>;
  /** Signs in with an ID token. After kind conflict, ask the person, and send `merge`. */
  signIn(values: SignInValues, options?: CallOptions): Promise<SignedIn>;
  /** Signs out. Throws kind wouldLoseUser for a user without identity, unless `losingUser`. */
  signOut(options?: CallOptions & { losingUser?: boolean }): Promise<void>;
  /** Replaces the token of this device. Not repeated after a failure: call it again. */
  rotateToken(options?: CallOptions): Promise<Identified>;
  me(options?: CallOptions): Promise<Me>;
  /** Changes the user's name. Null removes it. */
  rename(name: string | null, options?: CallOptions): Promise<Me>;
  devices(options?: CallOptions): Promise<Device[]>;
  renameDevice(id: number, name: string | null, options?: CallOptions): Promise<number>;
  endDevice(id: number, options?: CallOptions): Promise<void>;
  identities(options?: CallOptions): Promise<Identity[]>;
  /** Adds a sign-in, and returns its id. */
  addIdentity(values: IdentityValues, options?: CallOptions): Promise<number>;
  removeIdentity(id: number, options?: CallOptions): Promise<void>;
  /** Returns a code with which people delete their data without the app. */
  deletionCode(options?: CallOptions): Promise<DeletionCode>;
  /** Deletes the user with all records. */
  deleteMe(options?: CallOptions): Promise<void>;

  readonly events: {
    search(query?: EventQuery, options?: CallOptions): EventSearch;
    page(query?: EventQuery, options?: CallOptions): Promise<EventPage>;
    clusters(query: ClusterQuery, options?: CallOptions): Promise<Cluster[]>;
    /** Returns an event, with its version for `ifMatch`. */
    get(id: number, options?: CallOptions): Promise<Event & { version?: string }>;
    /** Creates an event, and returns its id. */
    create(event: EventDraft, options?: CallOptions): Promise<number>;
    /** Changes these attributes, and returns the event's id. */
    update(id: number, changes: EventChanges, options?: WriteOptions): Promise<number>;
    /** Replaces all attributes, and returns the event's id. */
    replace(id: number, event: EventDraft, options?: WriteOptions): Promise<number>;
    delete(id: number, options?: WriteOptions): Promise<void>;
    /** Returns a new code for guests of a private event. `replace` closes all others. */
    invite(id: number, options?: CallOptions & { replace?: boolean }): Promise<string>;
    closeInvitations(id: number, options?: CallOptions): Promise<void>;
  };

  readonly attendances: {
    /** Attends an event, and returns the attendance's id. */
    attend(event: number, options?: CallOptions): Promise<number>;
    /** Attends a private event. */
    join(code: string, options?: CallOptions): Promise<Attendance>;
    cancel(id: number, options?: CallOptions): Promise<void>;
    list(event: number, options?: CallOptions): Promise<AttendanceList>;
  };

  readonly reports: {
    /** Reports an event to the operator, and returns the report's id. */
    event(id: number, report: NewReport, options?: CallOptions): Promise<number>;
    /** Reports a user to the operator, and returns the report's id. */
    user(id: number, report: NewReport, options?: CallOptions): Promise<number>;
  };

  readonly blocks: {
    /** Blocks a user or the owner of an event, and returns the user's id. */
    add(block: NewBlock, options?: CallOptions): Promise<number>;
    remove(user: number, options?: CallOptions): Promise<void>;
    list(options?: CallOptions): Promise<Block[]>;
  };

  readonly changes: {
    page(query: ChangeQuery, options?: CallOptions): Promise<ChangePage>;
    /**
     * Returns changes as they happen, until the app cancels or the token ends. Connects again after a
     * lost connection, without an error.
     */
    stream(
      query: Omit<ChangeQuery, 'limit' | 'wait'>, options?: CallOptions,
    ): AsyncIterable<StreamMessage>;
  };
}
