// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { pass } from '../../test/pass'
import { SearchField } from './search-field'

let searched: string[]
const onSearch = (text: string) => void searched.push(text)
const field = (value: string) => <SearchField hint="Nome" value={value} onSearch={onSearch} />
const input = () => screen.getByRole<HTMLInputElement>('searchbox')
const type = (text: string) => fireEvent.change(input(), { target: { value: text } })

beforeEach(() => {
  vi.useFakeTimers()
  searched = []
})

test('what is typed before the address has followed stays, and is searched for too', async () => {
  const { rerender } = render(field(''))
  type('abc')
  await pass(300)
  type('abcd')
  rerender(field('abc'))
  expect(input().value).toBe('abcd')
  await pass(300)
  type('abcde')
  await pass(300)
  expect(searched).toEqual(['abc', 'abcd', 'abcde'])
  for (const value of ['abcd', 'abcde']) rerender(field(value))
  expect(input().value).toBe('abcde')
})

test('a link changes the text, also to one that was searched for before', async () => {
  const { rerender } = render(field(''))
  type('abc')
  await pass(300)
  for (const value of ['abc', '', 'abc']) {
    rerender(field(value))
    expect(input().value).toBe(value)
  }
  await pass(300)
  expect(searched).toEqual(['abc'])
})

test('a page that is drawn again meanwhile does not hold the search back', async () => {
  const drawn = () => <SearchField hint="Nome" value="" onSearch={(text) => onSearch(text)} />
  const { rerender } = render(drawn())
  type('abc')
  await pass(200)
  rerender(drawn())
  await pass(100)
  expect(searched).toEqual(['abc'])
})

test.each(['Maria\tSilva', ' Maria  Silva ', '\u202aMaria Silva\u202c'])('%j searches for its words', async (text) => {
  render(field(''))
  type(text)
  await pass(300)
  expect(searched).toEqual(['Maria Silva'])
})
