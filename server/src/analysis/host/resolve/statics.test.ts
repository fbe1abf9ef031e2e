/** Static variables of functions, of instances of templates, and in local classes. */
import { testAsCompiled } from "../testing/as-compiled.ts";

testAsCompiled([
  {
    name: "local class static",
    type: "int",
    told: "all",
    bytes: "1400000028000000",
    before: "static int f(){ static int n=0; struct B { B(){ n++; } int get(){ return n*10; } }; B a; B b; return b.get(); }",
    code: "int h[2]; h[0]=f(); h[1]=f(); SEND(h,2);",
  },
  {
    name: "local class static method",
    type: "int",
    told: "all",
    bytes: "0300000007000000",
    before: "static int f(int k){ static int n=0; struct B { void add(int k){ n+=k; } }; B a; a.add(k); return n; }",
    code: "int h[2]; h[0]=f(3); h[1]=f(4); SEND(h,2);",
  },
  {
    name: "local class static dtor",
    type: "int",
    told: "all",
    bytes: "050000000a000000",
    before: "static int f(int k){ static int n=0; struct B { ~B(){ n+=5; } }; { B b; } return n; }",
    code: "int h[2]; h[0]=f(3); h[1]=f(4); SEND(h,2);",
  },
  {
    name: "local class static shadow",
    type: "int",
    told: "all",
    bytes: "0200000066000000",
    before: "static int n=100;",
    code: "static int n2=0; int h[2]; struct B { void add(){ n2++; n++; } }; B b; b.add(); b.add(); h[0]=n2; h[1]=n; SEND(h,2);",
  },
  {
    name: "local class enum const",
    type: "int",
    told: "all",
    bytes: "150000000c000000",
    code: "const int K=7; constexpr int M=3; struct B { int v[M]; int get(){ return K*M; } }; B b; int h[2]={b.get(),(int)sizeof(B)}; SEND(h,2);",
  },
  {
    name: "static in template",
    type: "int",
    told: "all",
    bytes: "020000000100000003000000",
    before: "template<class T> int count(){ static int n=0; return ++n; }",
    code: "int h[3]; count<int>(); h[0]=count<int>(); h[1]=count<float>(); h[2]=count<int>(); SEND(h,3);",
  },
  {
    name: "static in lambda",
    type: "int",
    told: "all",
    bytes: "010000000200000003000000",
    code: "auto f=[]{ static int n=0; return ++n; }; int h[3]={0,0,0}; for(int i=0;i<3;i++) h[i]=f(); SEND(h,3);",
  },
  {
    name: "static in method",
    type: "int",
    told: "all",
    bytes: "050000000600000007000000",
    before: "struct S { int next(){ static int n=5; return n++; } };",
    code: "S a,b; int h[3]; h[0]=a.next(); h[1]=b.next(); h[2]=a.next(); SEND(h,3);",
  },
  {
    name: "static ref",
    type: "int",
    told: "all",
    bytes: "0c000000",
    before: "int& counter(){ static int n=0; return n; }",
    code: "counter()++; counter()+=5; int& r=counter(); r*=2; int h[1]={counter()}; SEND(h,1);",
  },
  {
    name: "static template in loop",
    type: "int",
    told: "all",
    bytes:
      "03000000290000001e00000028000000320000003c00000046000000500000005a000000640000006e00000078000000820000008c00000096000000a0000000aa000000b4000000be000000c8000000d2000000dc000000e6000000f0000000fa000000040100000e01000018010000220100002c01000036010000400100004a010000540100005e01000068010000720100007c0100008601000090010000",
    before: "template<class T> int count(){ static int n=0; return ++n; }",
    code: "int h[40]; count<float>(); for(int i=0;i<40;i++) h[i]=count<int>()*10; count<float>(); h[0]=count<float>(); h[1]=count<int>(); SEND(h,40);",
  },
  {
    name: "static template rng in loop",
    type: "int",
    told: "all",
    bytes:
      "000000001a0000002a000000160000003d0000005d0000002b0000004300000000000000100000002c0000000d0000005c000000240000003800000036000000590000005f000000330000001e000000380000002f0000000a0000002b0000002b00000023000000440000003f00000000000000600000003500000019000000420000002c000000510000001900000042000000150000004d00000038000000",
    before: "template<class T> T next(){ static unsigned s=12345; s=s*1664525u+1013904223u; return (T)(s>>8); }",
    code: "int h[40]; next<float>(); for(int i=0;i<40;i++) h[i]=next<int>()%100; SEND(h,40);",
  },
]);
