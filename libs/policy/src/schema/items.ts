/** The validators of a policy's parts, without what reads documents: a process that is pushed its policy need not load YAML. */
export { dependencySchema } from './dependency.ts'
export { topicSchema } from './feedback.ts'
export { gateSchema } from './gate.ts'
export { nameSchema } from './parts.ts'
export { policySchema } from './policy.ts'
export { quotaSchema, tenantSchema } from './quota.ts'
