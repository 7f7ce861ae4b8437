/** A gate or a dependency of a service: what a page is about where it is not about all of the service. */
export interface Subject {
  readonly kind: 'gate' | 'dependency'
  readonly name: string
}
