// What a test of the bus needs of a broker, whatever its protocol.

export interface TestBus {
  /** The address of a topic, as EVENT_BUS_URL has it. */
  readonly url: (topic: string) => string;
  /** @param mostBytes how much it takes of one event; the broker's own limit by default */
  readonly make: (topic: string, mostBytes?: number) => Promise<void>;
  /** Calls with the text of each event of the topic, from its beginning, also once the broker is there again. */
  readonly follow: (
    topic: string,
    hear: (text: string) => void,
  ) => Promise<{ readonly close: () => Promise<unknown> }>;
  /** As a machine that fails; its data stays. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}
