import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Hands requests to several servers in turn, whoever asks: no session sticks to one of them. */
export class Balancer {
  private next = 0;
  private readonly server = createServer((asked, answer) => this.hand(asked, answer));

  private constructor(private readonly ports: () => number[]) {
    this.server.on('upgrade', (asked: IncomingMessage, socket: Socket, head: Buffer) => this.tunnel(asked, socket, head));
  }

  /** Listens on an address such as `127.0.0.1:0`; `ports` are those of the servers at that moment. */
  static async listen(address: string, ports: () => number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    const [host, port] = address.split(':');
    await new Promise<void>((ready, failed) => {
      balancer.server.once('error', failed).listen(Number(port), host, ready);
    });
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private turn(): number | undefined {
    const ports = this.ports();
    this.next += 1;
    return ports[this.next % ports.length];
  }

  private hand(asked: IncomingMessage, answer: ServerResponse): void {
    const port = this.turn();
    if (port === undefined) return void answer.writeHead(502).end();
    const { method, url, rawHeaders } = asked;
    const upstream = request({ host: '127.0.0.1', port, method, path: url, headers: pairs(rawHeaders) });
    upstream.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, pairs(got.rawHeaders));
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    });
    upstream.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    answer.on('close', () => upstream.destroy());
    asked.pipe(upstream);
  }

  private tunnel(asked: IncomingMessage, socket: Duplex, head: Buffer): void {
    const port = this.turn();
    if (port === undefined) return void socket.destroy();
    const upstream = connect(port, '127.0.0.1', () => {
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
      for (let at = 0; at < asked.rawHeaders.length; at += 2) lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  }
}

/** Headers as they came, repeated ones included. */
function pairs(raw: string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}
