import { type Server as Http, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Account } from './account.ts';

/** Another site: one page that frames an address and writes down what it is told. */
export class Site {
  private constructor(
    private readonly http: Http,
    /** Its origin; never the one of Rollcall. */
    readonly origin: string,
  ) {}

  /** Starts one; `/?src=…&sandbox=…` is its page. */
  static async open(): Promise<Site> {
    const http = createServer((request, response) => {
      const query = new URL(request.url ?? '/', 'http://site').searchParams;
      const sandbox = query.get('sandbox');
      const flags = sandbox === null ? '' : `sandbox="${sandbox}"`;
      response.setHeader('content-type', 'text/html');
      response.end(`<!DOCTYPE html><html lang="en"><head><title>Wiki</title><link rel="icon" href="data:,"></head><body>
        <h1>Wiki</h1>
        <iframe title="Delegates" src="${query.get('src') ?? ''}" ${flags} width="1000" height="300"
          referrerpolicy="origin"></iframe>
        <output></output>
        <script>
          const frame = document.querySelector('iframe');
          addEventListener('message', (event) => {
            if (event.source !== frame.contentWindow) return;
            document.querySelector('output').textContent = event.origin + ' ' + JSON.stringify(event.data);
            if (event.data.type === 'rollcall:height') frame.style.height = event.data.height + 'px';
          });
        </script></body></html>`);
    });
    await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
    const { port } = http.address() as AddressInfo;
    return new Site(http, `http://localhost:${port}`);
  }

  /** The address of its page around this one. */
  around(src: string, sandbox?: string): string {
    const query = new URLSearchParams({ src, ...(sandbox === undefined ? {} : { sandbox }) });
    return `${this.origin}/?${query}`;
  }

  /** Ends it. */
  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }
}

/** Issues an embed key of an account by the form of its page, and gives it as it is shown once. */
export async function embedKey(account: Account, sites: string[], filter = ''): Promise<string> {
  const { server } = account;
  const answer = await fetch(server.url + account.path('embeds'), {
    method: 'POST',
    headers: { ...server.headers, origin: server.url },
    body: new URLSearchParams({ name: 'Wiki', origins: sites.join('\n'), filter }),
  });
  const key = /id="secret">([^<]+)</.exec(await answer.text())?.[1];
  if (!key) throw new Error(`no embed key: ${answer.status}`);
  return key;
}
