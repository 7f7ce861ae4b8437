/** The head of a plain table. */
export const Heads = ({ labels }: { labels: readonly string[] }) => (
  <thead>
    <tr>
      {labels.map((label) => (
        <th scope="col" key={label}>
          {label}
        </th>
      ))}
    </tr>
  </thead>
)
