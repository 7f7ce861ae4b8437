export * from './model/index.ts'
export * from './schema/index.ts'
