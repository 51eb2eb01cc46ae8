// The API server's client with metrics: requests, status codes, and how often a watch had to be
// reopened.

import type { Metrics } from '../../ops/observe/metrics.ts';
import {
  type ApiAnswer,
  ApiClient,
  ApiError,
  type ApiRequest,
  type WatchStream,
} from './api-client.ts';
import type { ClusterAccess } from './cluster-access.ts';

type Why = 'ended' | 'expired' | 'failed';

export class ObservedApiClient extends ApiClient {
  readonly #metrics: Metrics;
  /** How the last watch of each path ended; the next watch of that path counts as a restart. */
  readonly #ended = new Map<string, Why>();

  constructor(access: ClusterAccess, metrics: Metrics) {
    super(access);
    this.#metrics = metrics;
  }

  override async request(asked: ApiRequest): Promise<ApiAnswer> {
    try {
      const answer = await super.request(asked);
      this.#count(asked, String(answer.status));
      return answer;
    } catch (error) {
      this.#count(asked, '<error>');
      throw error;
    }
  }

  override async watch(asked: ApiRequest, stream: WatchStream): Promise<void> {
    const { path } = asked;
    const why = this.#ended.get(path);
    if (why !== undefined) {
      const resource = path.slice(path.lastIndexOf('/') + 1);
      this.#metrics.counter('concordat_watch_restarts_total', { resource, why }).add();
    }
    try {
      await super.watch(asked, stream);
      this.#count(asked, '200');
      this.#ended.set(path, 'ended');
    } catch (error) {
      const status = error instanceof ApiError ? error.status : null;
      this.#count(asked, status === null ? '<error>' : String(status));
      this.#ended.set(path, status === 410 ? 'expired' : 'failed');
      throw error;
    } finally {
      // A watch that was ended on purpose and is opened again later is not a restart.
      if (stream.signal.aborted) this.#ended.delete(path);
    }
  }

  #count({ method }: ApiRequest, code: string): void {
    this.#metrics.counter('rest_client_requests_total', { code, method }).add();
  }
}
