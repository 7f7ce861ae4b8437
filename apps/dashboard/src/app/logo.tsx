/** Water over a step. */
export const Logo = ({ size = 26 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0b6e67" />
    <path
      d="M6 10.500c3.300 0 3.300 2.600 6.600 2.600s3.400-2.600 6.700-2.600 3.400 2.600 6.700 2.600"
      fill="none"
      stroke="#fff"
      strokeWidth="2.600"
      strokeLinecap="round"
    />
    <path
      d="M6 19.500h8.500v5.500H26"
      fill="none"
      stroke="#fff"
      strokeWidth="2.600"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
