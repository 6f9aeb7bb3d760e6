import React from 'react';

type Props = { names: string[] };

export function List({ names }: Props) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}
