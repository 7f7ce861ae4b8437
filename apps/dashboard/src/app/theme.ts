import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The one accent: the colour of goodput. */
const accent: MantineColorsTuple = [
  '#e8f7f5',
  '#d2ece9',
  '#a5d9d3',
  '#74c5bd',
  '#4db4aa',
  '#2ba497',
  '#149184',
  '#0b7a70',
  '#08665e',
  '#04524b',
]

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 5 },
  colors: { accent },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 } } },
  },
})
