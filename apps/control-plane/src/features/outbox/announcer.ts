import { Injectable } from '@nestjs/common'
import { Bus } from '../bus.ts'
import { OutboxRelay } from './outbox-relay.ts'

/** What is done right after the commit of a publish, so that nobody has to wait for a poll. */
@Injectable()
export class Announcer {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly bus: Bus,
  ) {}

  announce(serviceId: string, revision: number): void {
    this.bus.publish('revision', { serviceId, revision })
    void this.relay.send()
  }
}
