import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds a control plane: the default port of `npm start`, or WEIR_URL. */
const target = process.env.WEIR_URL ?? 'http://127.0.0.1:7400'

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ['weir-src', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    sourcemap: false,
  },
  server: { proxy: { '/api': { target, ws: true, changeOrigin: true } } },
})
