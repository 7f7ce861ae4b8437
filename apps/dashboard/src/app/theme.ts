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

/** Neutrals of the dark theme, from text to page, with the same blue in them as the panels of the style sheet. */
const dark: MantineColorsTuple = [
  '#dbe3ea',
  '#b9c5cf',
  '#9aa8b4',
  '#74838f',
  '#3d4a55',
  '#2c3740',
  '#212b34',
  '#182027',
  '#131a20',
  '#10161b',
]

/** Only for what is wrong or cannot be taken back. */
const red: MantineColorsTuple = [
  '#fdecee',
  '#f9d2d8',
  '#f3aab5',
  '#f58c9d',
  '#fa7f92',
  '#ff7389',
  '#c01f38',
  '#b3172f',
  '#971227',
  '#7a0d1e',
]

export const theme = createTheme({
  primaryColor: 'accent',
  /** White text on it has a contrast of 5 in both themes. */
  primaryShade: 7,
  colors: { accent, dark, red },
  defaultRadius: 'sm',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
})
